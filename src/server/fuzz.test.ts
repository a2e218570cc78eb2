// Whatever comes in, the coordinator answers with a code of its own: never a 500, never a crash.
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { suiteDirectory } from '../../test/support/temporary-directory.ts';
import { type KeyPair, loadKeyPair } from '../exchange/key-pair.ts';
import { signRequest } from '../exchange/request-token.ts';
import { type RunningServer, startServer } from './start-server.ts';

/** More with F3_FUZZ_RUNS, e.g. 10000. */
const RUNS = Number(process.env.F3_FUZZ_RUNS ?? 150);

const ROUTES: [string, string][] = [
  ['POST', '/v1/enrol'],
  ['POST', '/v1/federations'],
  ['POST', '/v1/federations/grid/invitations'],
  ['POST', '/v1/federations/grid/members/x/revoke'],
  ['POST', '/v1/federations/grid/trainings'],
  ['POST', '/v1/federations/grid/predict'],
  ['POST', '/v1/federations/grid/models/1/activate'],
  ['POST', '/v2/models/grid/infer'],
  ['GET', '/v1/federations/grid/audit?after=0&limit=1'],
];
const NAMES = [
  'name',
  'code',
  'publicKey',
  'owner',
  'role',
  'config',
  'split',
  'samples',
  'embeddings',
  'inputs',
  'shape',
  'data',
];

const value = fc.anything({ maxDepth: 3, withNullPrototype: false });
const object = fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string({ unit: 'binary' })), value, { maxKeys: 6 });
const json = fc.oneof(object, value).map((content) => new TextEncoder().encode(JSON.stringify(content) ?? ''));
const bytes = fc.uint8Array({ maxLength: 400 });
const TYPES = ['application/json', 'application/octet-stream', 'application/vnd.apache.arrow.stream', 'text/plain'];
const odd = fc.webPath().map((path) => `/v1/federations/grid${path.replaceAll(/[^ -~]/g, '')}`);

describe('fuzzed requests', () => {
  const dir = suiteDirectory();
  let server: RunningServer;
  let keys: KeyPair;
  beforeAll(async () => {
    server = await startServer({
      data: join(dir, 'data'),
      host: '127.0.0.1',
      port: 0,
      work: false,
      requestsPerMinute: 1e9,
    });
    keys = await loadKeyPair(server.operatorKey);
    await send('POST', '/v1/federations', new TextEncoder().encode('{"name":"grid"}'), 'application/json');
  }, 60_000);
  afterAll(() => server?.close(), 30_000);

  async function send(method: string, path: string, body: Uint8Array, type: string) {
    const payload = method === 'GET' ? new Uint8Array() : body;
    const authorization = `Bearer ${await signRequest(keys, { method, path, body: payload })}`;
    const headers = { authorization, ...(method !== 'GET' && { 'content-type': type }) };
    return server.app.inject({ method: method as 'GET' | 'POST', url: path, headers, payload: Buffer.from(payload) });
  }

  it('are answered with a status below 500 and a code', async () => {
    const route = fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...ROUTES) },
      { weight: 1, arbitrary: fc.tuple(fc.constantFrom('GET', 'POST', 'PUT'), odd) },
    );
    const request = fc.tuple(route, fc.oneof(json, bytes), fc.constantFrom(...TYPES));
    await fc.assert(
      fc.asyncProperty(request, async ([[method, path], body, type]) => {
        const { statusCode, body: answer } = await send(method, path, body, type);
        expect(statusCode, `${method} ${path} ${type} ${Buffer.from(body)}: ${answer}`).toBeLessThan(500);
        if (statusCode >= 400) expect(JSON.parse(answer).code).toMatch(/^F3_/);
      }),
      { numRuns: RUNS },
    );
  }, 600_000);
});
