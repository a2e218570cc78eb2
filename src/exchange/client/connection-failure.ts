// [wire] Puts into words why no answer came: what Node says about sockets, names and certificates.
import { RequestFailure } from './request-failure.ts';
import { tlsFailure } from './tls-failure.ts';

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'a refused connection',
  ECONNRESET: 'a dropped connection',
  EAI_AGAIN: 'no answer from the name service',
  EHOSTUNREACH: 'no way to the host',
  ENETUNREACH: 'no way to the network',
  ENOTFOUND: 'no such host',
  EPIPE: 'a dropped connection',
  ETIMEDOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'no answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'no answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_SOCKET: 'a dropped connection',
};

/** Gives F3_CLIENT_TLS where certificates do not fit, which waiting does not mend; else F3_CLIENT_UNREACHABLE. */
export function connectionFailure(peer: string, cause: unknown): RequestFailure {
  const inner = innermost(cause);
  const broken = tlsFailure(inner);
  if (broken !== undefined) {
    return new RequestFailure('F3_CLIENT_TLS', `${peer}: ${broken}`, { isFinal: true, cause });
  }
  const [said] = inner.message.split('\n');
  const found = (inner.name === 'TimeoutError' ? REASONS.ETIMEDOUT : REASONS[inner.code ?? '']) ?? said;
  const text = `${peer}: must answer, got ${found}`;
  return new RequestFailure('F3_CLIENT_UNREACHABLE', text, { isFinal: false, cause });
}

/** The error that `fetch` wrapped. */
function innermost(error: unknown): NodeJS.ErrnoException {
  let inner = error;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  return inner instanceof Error ? inner : new Error(String(inner));
}
