// [coordinator] Refuses a request without a valid client certificate, before anything of the request is read.
import type { TLSSocket } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { F3Error } from '../../errors.ts';

/**
 * The handshake lets everybody through and the first hook decides. If TLS itself cut the connection, the client would take
 * it for a network failure and nobody would learn that a certificate has expired.
 */
export const ASK_FOR_CERTIFICATE = { requestCert: true, rejectUnauthorized: false } as const;

const REASONS: Record<string, string> = {
  CERT_HAS_EXPIRED: 'one that has expired',
  CERT_NOT_YET_VALID: 'one that is not valid yet',
  CERT_REVOKED: 'one that was revoked',
  INVALID_PURPOSE: 'one that is not for clients',
};

/** This hook must be added before all others. */
export function requireCertificate(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw: { socket } }, reply) => {
    const line = socket as TLSSocket;
    if (line.authorized) return;
    reply.header('connection', 'close');
    const hasNone = Object.keys(line.getPeerCertificate()).length === 0;
    const code = String(line.authorizationError);
    const got = hasNone ? 'none' : (REASONS[code] ?? `one of an unknown authority (${code})`);
    const rule = 'must come from an authority that the coordinator trusts';
    throw new F3Error('F3_AUTH_CERTIFICATE', `client certificate: ${rule}, got ${got}`);
  });
}
