// [coordinator] Tells the audit log of every request's key and address, and counts refusals, reads and predictions.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { errorCode } from '../../errors.ts';
import { readKeyId } from '../../exchange/identity/request-token.ts';
import { FEDERATION_NAME } from '../../exchange/messages.ts';
import { auditOrigin } from '../../storage/audit-origin.ts';
import type { ServerContext } from '../server-context.ts';
import type { CountedAction } from './audit-counts.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Requests that succeed are counted in the audit log under this action. */
    counted?: CountedAction;
  }
}

/** Codes that mean that somebody tried a one-time code, of an invitation or of the dashboard. */
const WRONG_CODE = /^F3_(INVITATION|SESSION_CODE)/;
/** Routes that take one-time codes. */
const TAKE_CODES = ['/v1/enrol', '/v1/sessions'];

/** Added after authentication, so that the key is known. */
export function noteRequests(app: FastifyInstance, { directory, counts }: ServerContext): void {
  // The hook is in the style of callbacks, because what comes after it runs inside.
  app.addHook('preValidation', (request, _, done) => {
    auditOrigin.run({ keyId: keyOf(request) ?? null, address: request.ip }, done);
  });

  const federationOf = async (request: FastifyRequest): Promise<string | null> => {
    const { federation = '' } = (request.params ?? {}) as { federation?: string };
    if (!FEDERATION_NAME.test(federation)) return null;
    return directory.federation(federation).then(
      ({ name }) => name,
      () => null,
    );
  };

  app.addHook('onError', async (request, _, error) => {
    const code = errorCode(error) ?? '';
    const isToken = code.startsWith('F3_AUTH_') || code === 'F3_SESSION_ORIGIN';
    if (!isToken && !(WRONG_CODE.test(code) && TAKE_CODES.includes(request.routeOptions.url ?? ''))) return;
    const by = { who: request.member?.owner, keyId: keyOf(request), address: request.ip, code };
    counts.note(isToken ? await federationOf(request) : null, isToken ? 'token.refused' : 'code.refused', by);
  });

  app.addHook('onResponse', async (request, { statusCode }) => {
    const { counted } = request.routeOptions.config;
    if (!counted || statusCode >= 400) return;
    const who = request.member?.owner ?? request.inferenceToken?.name;
    counts.note(await federationOf(request), counted, { who, keyId: keyOf(request), address: request.ip });
  });
}

/** The key that signed, or claims to have signed: who was refused has proved nothing. */
function keyOf({ member, inferenceToken, headers: { authorization = '' } }: FastifyRequest): string | undefined {
  if (member) return member.keyId;
  if (inferenceToken) return inferenceToken.id;
  try {
    return readKeyId(authorization.split(' ')[1] ?? '');
  } catch {
    return undefined;
  }
}
