import { base64url, SignJWT } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import fc from '../../../test/support/seeded-fast-check.ts';
import { createKeyPair, type KeyPair } from './key-pair.ts';
import { bodyHash, readKeyId, signRequest, verifyRequest } from './request-token.ts';

let pair: KeyPair;
let other: KeyPair;
beforeAll(async () => {
  [pair, other] = [await createKeyPair(), await createKeyPair()];
});

const now = new Date('2026-05-01T12:00:00Z');
const later = (seconds: number) => new Date(now.getTime() + 1000 * seconds);
const body = Buffer.from('{"embedding":[1,2]}');
const request = { method: 'POST', path: '/v1/federations/grid/live/s%201?x=1', body };
const received = { method: request.method, path: request.path, bodyHash: bodyHash(body) };

const method = fc.constantFrom('GET', 'POST', 'PUT');
const path = fc.webPath().map((text) => `/v1${text}`);
const bytes = fc.uint8Array({ maxLength: 200 });
const runs = { numRuns: 60 };

async function refused(token: string, change: Partial<typeof received> = {}, at = now, reason = ''): Promise<void> {
  const verified = verifyRequest(token, pair.publicKey, { ...received, ...change }, at);
  const ofAnother = Object.keys(change).length > 0 ? /^F3_AUTH_TAMPERED$/ : /^F3_AUTH_(TOKEN|UNKNOWN)$/;
  const code = expect.stringMatching(at === now ? ofAnother : /^F3_AUTH_EXPIRED$/);
  await expect(verified).rejects.toThrow(expect.objectContaining({ code }));
  if (reason) await expect(verified).rejects.toThrow(reason);
}

/** `bytes` with one of them changed. */
function tampered(bytes: Uint8Array, at: number, by: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at % copy.length] ^= by;
  return copy;
}

describe('a token', () => {
  test('passes for its own request, any method, path and body', async () => {
    await fc.assert(
      fc.asyncProperty(method, path, bytes, async (method, path, body) => {
        const token = await signRequest(pair, { method, path, body }, now);
        expect(readKeyId(token)).toBe(pair.id);
        const use = await verifyRequest(token, pair.publicKey, { method, path, bodyHash: bodyHash(body) }, now);
        expect(use).toMatchObject({ iat: now.getTime() / 1000, exp: now.getTime() / 1000 + 60 });
      }),
      runs,
    );
  });

  test('fails when any character of it is another', async () => {
    const token = await signRequest(pair, request, now);
    const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \n'];
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom(...alphabet), async (at, digit) => {
        fc.pre(token[at] !== digit);
        await refused(token.slice(0, at) + digit + token.slice(at + 1));
      }),
      { numRuns: 300 },
    );
    // The last digit of a signature has four spare bits: a lenient reader takes sixteen texts for one.
    for (const digit of alphabet) if (!token.endsWith(digit)) await refused(token.slice(0, -1) + digit);
  });

  test('fails when any byte of the body is another', async () => {
    const token = await signRequest(pair, request, now);
    await fc.assert(
      fc.asyncProperty(fc.nat(body.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
        await refused(token, { bodyHash: bodyHash(tampered(body, at, by)) }, now, 'got one for another body');
      }),
      runs,
    );
    await refused(token, { bodyHash: bodyHash(new Uint8Array()) });
  });

  test('fails for any other path, query or method', async () => {
    const token = await signRequest(pair, request, now);
    const signed = Buffer.from(request.path);
    await fc.assert(
      fc.asyncProperty(fc.nat(signed.length - 1), fc.integer({ min: 1, max: 127 }), async (at, by) => {
        const path = Buffer.from(tampered(signed, at, by)).toString('latin1');
        await refused(token, { path }, now, 'must be for the path');
      }),
      runs,
    );
    await refused(token, { path: '/v1/federations/grid/live/s%201' });
    await refused(token, { path: '/v1/federations/grid/live/s 1?x=1' });
    for (const method of ['GET', 'PUT', 'post']) await refused(token, { method }, now, `must be for ${method}`);
  });

  test('is good from 30 s before it was made, by the verifier’s clock, until it expires', async () => {
    const token = await signRequest(pair, request, now);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: -200_000, max: 200_000 }), async (milliseconds) => {
        const at = later(milliseconds / 1000);
        if (milliseconds >= -30_000 && milliseconds < 60_000) await verifyRequest(token, pair.publicKey, received, at);
        else await refused(token, {}, at, milliseconds > 0 ? 'must not have expired' : 'must not be from the future');
      }),
      runs,
    );
    await verifyRequest(token, pair.publicKey, received, later(-30));
    await refused(token, {}, later(-31), 'got 31 s ahead: compare the clocks');
    await verifyRequest(token, pair.publicKey, received, later(59));
    await refused(token, {}, later(60));
  });

  test('is never the same twice', async () => {
    const tokens = await Promise.all(Array.from({ length: 200 }, () => signRequest(pair, request, now)));
    const uses = await Promise.all(tokens.map((token) => verifyRequest(token, pair.publicKey, received, now)));
    expect(new Set(uses.map(({ jti }) => jti)).size).toBe(200);
  });

  test('of another key fails, also under a borrowed id', async () => {
    await refused(await signRequest(other, request, now), {}, now, 'must be signed with a key that has joined');
    await refused(
      await signRequest({ ...other, id: pair.id }, request, now),
      {},
      now,
      'must be signed with a key that has joined',
    );
  });
});

describe('a signed text that is no request token', () => {
  const iat = now.getTime() / 1000;
  const jti = base64url.encode(new Uint8Array(16));
  const claims = { htm: received.method, htu: received.path, bsh: received.bodyHash, iat, exp: iat + 60, jti };
  const header = () => ({ alg: 'EdDSA', typ: 'f3-request+jwt', kid: pair.id });
  const sign = (payload: Record<string, unknown>, protectedHeader = header()) =>
    new SignJWT(payload).setProtectedHeader(protectedHeader).sign(pair.privateKey);

  test('passes only with all claims, each of its type', async () => {
    await verifyRequest(await sign(claims), pair.publicKey, received, now);
    for (const name of Object.keys(claims)) {
      await refused(await sign({ ...claims, [name]: undefined }), {}, now, 'must have the claims');
      await refused(await sign({ ...claims, [name]: name === 'iat' || name === 'exp' ? iat + 0.5 : 7 }));
    }
    await refused(await sign({ ...claims, jti: 'short' }), {}, now, 'must have the claims');
  });

  test('fails when it would live longer than a minute, or not at all', async () => {
    await refused(await sign({ ...claims, exp: iat + 61 }), {}, now, 'must live for up to 60 s, got 61');
    await refused(await sign({ ...claims, exp: iat }), {}, now, 'must live for up to 60 s, got 0');
  });

  test('fails with another type or algorithm', async () => {
    await refused(await sign(claims, { ...header(), typ: 'JWT' }), {}, now, 'got a malformed one');
    const unsigned = `${base64url.encode(JSON.stringify({ ...header(), alg: 'none' }))}.${base64url.encode(JSON.stringify(claims))}.`;
    await refused(unsigned, {}, now, 'got a malformed one');
    const secret = new TextEncoder().encode(String(pair.publicKey.x));
    const symmetric = new SignJWT(claims).setProtectedHeader({ ...header(), alg: 'HS256' }).sign(secret);
    await refused(await symmetric, {}, now, 'got a malformed one');
  });

  test('of any shape is an error of ours, never another', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (text) => {
        await refused(text);
        expect(() => readKeyId(text)).toThrow(expect.objectContaining({ code: 'F3_AUTH_TOKEN' }));
      }),
      { numRuns: 300 },
    );
    await refused(`${await sign(claims)}${'A'.repeat(5000)}`);
  });
});
