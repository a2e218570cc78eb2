// [wire] Why no answer came, in words: what Node says about sockets, names and certificates.
import { RequestFailure } from './request-failure.ts';

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

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO|ALTNAME/;

/** F3_CLIENT_TLS where certificates do not fit, which waiting does not mend; else F3_CLIENT_UNREACHABLE. */
export function connectionFailure(origin: string, cause: unknown): RequestFailure {
  const { code, name, message } = innermost(cause);
  const [said] = message.split('\n');
  if (CERTIFICATE.test(code)) {
    const rule = 'both certificates must be accepted (--tls-ca, --tls-cert, --tls-key)';
    const text = `coordinator ${origin}: ${rule}, got ${said} (${code})`;
    return new RequestFailure('F3_CLIENT_TLS', text, { isFinal: true, cause });
  }
  const found = (name === 'TimeoutError' ? REASONS.ETIMEDOUT : REASONS[code]) ?? said;
  const text = `coordinator ${origin}: must answer, got ${found}`;
  return new RequestFailure('F3_CLIENT_UNREACHABLE', text, { isFinal: false, cause });
}

/** `fetch` wraps what happened. */
function innermost(error: unknown): { code: string; name: string; message: string } {
  let inner = error;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  const { code = '', name = '', message = String(inner) } = (inner ?? {}) as Partial<NodeJS.ErrnoException>;
  return { code: String(code), name, message };
}
