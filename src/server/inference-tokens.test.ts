// Static inference tokens over a real port, on both databases: what they may, what they may not, and how they end.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describedRoutes } from '../../scripts/http-api.ts';
import { FederationScene, OWNERS, WIDTH } from '../../test/support/federation-scene.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../../test/support/postgres-server.ts';
import { suiteDirectory } from '../../test/support/temporary-directory.ts';
import { unless } from '../../test/support/unless.ts';
import { type RunningServer, startServer } from './start-server.ts';

const missing = await postgresMissing();
const PREDICTS = [
  'POST /v1/federations/{federation}/predict',
  'GET /v2/models/{federation}',
  'GET /v2/models/{federation}/ready',
  'POST /v2/models/{federation}/infer',
  'GET /v2/models/{federation}/versions/{version}',
  'GET /v2/models/{federation}/versions/{version}/ready',
  'POST /v2/models/{federation}/versions/{version}/infer',
];
const body = { inputs: [{ name: 'owner-0', shape: [1, WIDTH], datatype: 'FP32', data: [0.1, 0.2, 0.3, 0.4] }] };

describe.each(['embedded', 'PostgreSQL'])('an inference token, %s', (kind) => {
  describe('', unless(kind === 'PostgreSQL' ? missing : ''), () => {
    const dir = suiteDirectory();
    const log: string[] = [];
    let scene: FederationScene;
    /** Another coordinator on the same database, where there can be one. */
    let other: RunningServer | undefined;
    let postgres: PostgresServer | undefined;
    let secret: string;
    beforeAll(async () => {
      postgres = kind === 'PostgreSQL' ? await startPostgres() : undefined;
      const database = postgres && { database: await postgres.createDatabase() };
      const stream = { write: (line: string) => void log.push(line) };
      scene = await FederationScene.start({ data: join(dir, 'data'), ...database, log: { level: 'info', stream } });
      if (database) {
        other = await startServer({ data: join(dir, 'other'), host: '127.0.0.1', port: 0, work: false, ...database });
      }
      await scene.client('operator').createFederation('elsewhere');
      secret = (await scene.client('operator').createToken('grid', { name: 'dashboard' })).token;
    });
    afterAll(async () => {
      await other?.close();
      await scene?.server.close();
      await postgres?.stop();
    });

    const urls = () => [scene.server.url, ...(other ? [other.url] : [])];
    const ask = async (path: string, token = secret, init: RequestInit = {}, url = scene.server.url) => {
      const answer = await fetch(url + path, {
        ...init,
        headers: { authorization: `Bearer ${token}`, ...init.headers },
      });
      return { status: answer.status, ...((await answer.json()) as Record<string, unknown>) };
    };
    const infer = (token = secret, url?: string) => {
      const headers = { 'content-type': 'application/json' };
      return ask('/v2/models/grid/infer', token, { method: 'POST', headers, body: JSON.stringify(body) }, url);
    };

    it('predicts and reads what the model takes, on every coordinator, again and again', async () => {
      for (const url of urls()) {
        expect(await ask('/v2/models/grid', secret, {}, url)).toMatchObject({ status: 200, name: 'grid' });
        expect(await ask('/v2/models/grid/versions/1/ready', secret, {}, url)).toMatchObject({ ready: true });
        const [one, two] = [await infer(secret, url), await infer(secret, url)];
        expect(one).toMatchObject({ status: 200, model_name: 'grid' });
        expect(two).toEqual(one);
      }
      const samples = [{ id: 's', embeddings: { 'owner-0': [0.1, 0.2, 0.3, 0.4] } }];
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ samples }),
      };
      expect(await ask('/v1/federations/grid/predict', secret, init)).toMatchObject({ status: 200, model: 1 });
    });

    it('may do nothing else, on any route', async () => {
      const before = await scene.rowCounts();
      const routes = [...(await describedRoutes())].filter(([, { 'x-f3-roles': roles }]) => roles);
      const open = routes.filter(([, { 'x-f3-roles': roles = [] }]) => roles.includes('inference token'));
      expect(open.map(([name]) => name)).toEqual(PREDICTS);
      for (const [name] of routes.filter(([route]) => !PREDICTS.includes(route))) {
        const [method, pattern] = name.split(' ');
        const path = pattern
          .replace('{federation}', 'grid')
          .replace('{owner}', 'owner-0')
          .replace('{version}', '1')
          .replace('{sample}', 's')
          .replace('{id}', '00000000-0000-4000-8000-000000000000');
        const headers = { 'content-type': 'application/json' };
        const init = method === 'GET' ? {} : { method, headers, body: '{}' };
        expect(await ask(path, secret, init), name).toMatchObject({ status: 403, code: 'F3_AUTH_FORBIDDEN' });
      }
      expect(await scene.rowCounts()).toEqual(before);
    });

    it('is of one federation, and is known or nothing', async () => {
      const { token } = await scene.client('operator').createToken('elsewhere', { name: 'dashboard' });
      expect(await ask('/v2/models/grid', token)).toMatchObject({ status: 403, code: 'F3_AUTH_FORBIDDEN' });
      expect(await ask('/v2/models/nowhere')).toMatchObject({ status: 403, code: 'F3_AUTH_FORBIDDEN' });
      const last = secret.at(-1) === 'A' ? 'E' : 'A';
      for (const wrong of [`${secret.slice(0, -1)}${last}`, `${secret}x`, 'f3t_', 'f3t_..%2f', secret.toLowerCase()]) {
        expect(await ask('/v2/models/grid', wrong)).toMatchObject({ status: 401, code: 'F3_AUTH_UNKNOWN' });
      }
      expect(await ask('/v2/models/grid', secret.slice(4))).toMatchObject({ status: 401, code: 'F3_AUTH_TOKEN' });
    });

    it('is made, listed and revoked by operators only, and all of it is audited', async () => {
      for (const member of [OWNERS[0], 'rosemary']) {
        const client = scene.client(member);
        const forbidden = { code: 'F3_AUTH_FORBIDDEN' };
        await expect(client.createToken('grid', { name: 'x' })).rejects.toMatchObject(forbidden);
        await expect(client.tokens('grid')).rejects.toMatchObject(forbidden);
      }
      const operator = scene.client('operator');
      await expect(operator.createToken('grid', { name: 'dashboard' })).rejects.toMatchObject({
        code: 'F3_TOKEN_EXISTS',
      });
      await expect(operator.createToken('grid', { name: 'a\nb' })).rejects.toMatchObject({ code: 'F3_REQUEST' });
      await expect(operator.createToken('grid', { name: 'x', days: 0 })).rejects.toMatchObject({ code: 'F3_REQUEST' });
      const listed = await operator.tokens('grid');
      expect(listed).toMatchObject([{ name: 'dashboard', expired: false, lastUsed: expect.stringMatching(/^20/) }]);
      expect(JSON.stringify(listed)).not.toMatch(/[0-9a-f]{64}/);
      const lasts = Date.parse(String(listed[0].expires)) - Date.parse(listed[0].created);
      expect(Math.round(lasts / 86_400_000)).toBe(90);
      const entries = (await operator.audit('grid')).filter(({ action }) => action?.startsWith('token.'));
      expect(entries).toMatchObject([{ action: 'token.created', details: { name: 'dashboard', token: listed[0].id } }]);
    });

    it('leaves its secret neither in the database nor in the log', async () => {
      const { rows } = await scene.server.store.executeSql('select * from inference_tokens');
      expect(rows.length).toBeGreaterThan(0);
      const audit = JSON.stringify(await scene.client('operator').audit('grid'));
      for (const text of [JSON.stringify(rows), audit, log.join('')]) expect(text).not.toContain(secret.slice(4));
      expect(log.some((line) => JSON.parse(line).token === 'dashboard')).toBe(true);
    });

    it('is refused at once when it is revoked, on every coordinator', async () => {
      const operator = scene.client('operator');
      for (const url of urls()) expect(await infer(secret, url)).toMatchObject({ status: 200 });
      const [{ id }] = await operator.tokens('grid');
      await operator.revokeToken('grid', id);
      for (const url of urls())
        expect(await infer(secret, url)).toMatchObject({ status: 403, code: 'F3_AUTH_REVOKED' });
      await expect(operator.revokeToken('grid', id)).rejects.toMatchObject({ code: 'F3_TOKEN_UNKNOWN' });
      expect((await operator.audit('grid')).at(-1)).toMatchObject({ action: 'token.revoked', details: { token: id } });
    });

    it('is refused when its time is over', async () => {
      const { token, id } = await scene.client('operator').createToken('grid', { name: 'short', days: 1 });
      expect(await infer(token)).toMatchObject({ status: 200 });
      await scene.server.store.executeSql(`update inference_tokens set expires = now() where id = '${id}'`);
      for (const url of urls()) expect(await infer(token, url)).toMatchObject({ status: 401, code: 'F3_AUTH_EXPIRED' });
      expect(await scene.client('operator').tokens('grid')).toMatchObject([{ name: 'short', expired: true }]);
      const endless = await scene.client('operator').createToken('grid', { name: 'endless', days: null });
      expect(endless.expires).toBeNull();
    });
  });
});

describe('a client of the Open Inference Protocol that names no type', () => {
  const dir = suiteDirectory();
  let scene: FederationScene;
  let token: string;
  beforeAll(async () => {
    scene = await FederationScene.start({ data: join(dir, 'data'), requestsPerMinute: 40 });
    token = (await scene.client('operator').createToken('grid', { name: 'triton' })).token;
  });
  afterAll(() => scene?.server.close());

  /** As tritonclient sends it: `fetch` names a type for texts, none for bytes. */
  const infer = async (bytes: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) => {
    const path = `${scene.server.url}/v2/models/grid/infer`;
    const answer = await fetch(path, {
      method: 'POST',
      body: bytes,
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
    return { status: answer.status, ...((await answer.json()) as Record<string, unknown>) };
  };

  it('is answered, whether its numbers are JSON or bytes', async () => {
    const plain = await infer(new TextEncoder().encode(JSON.stringify(body)));
    expect(plain).toMatchObject({ status: 200, model_name: 'grid' });
    const inputs = [{ name: 'owner-0', shape: [1, WIDTH], datatype: 'FP32', parameters: { binary_data_size: 16 } }];
    const asked = { inputs, parameters: { binary_data_output: true } };
    const json = new TextEncoder().encode(JSON.stringify(asked));
    const bytes = new Uint8Array([...json, ...new Uint8Array(Float32Array.of(0.1, 0.2, 0.3, 0.4).buffer)]);
    const binary = await infer(bytes, { 'inference-header-content-length': String(json.length) });
    expect(binary).toEqual(plain);
  });

  it('has its own share of requests', async () => {
    const outcomes = [];
    for (let i = 0; i < 45; i++) outcomes.push(await infer(new TextEncoder().encode(JSON.stringify(body))));
    expect(outcomes.at(-1)).toMatchObject({ status: 429, code: 'F3_RATE_LIMIT' });
    expect(await scene.client('operator').tokens('grid')).toHaveLength(1);
  });
});
