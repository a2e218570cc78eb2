// Who sees what: an owner gets nothing of others through any route, nobody gets bundles or labels, logs keep no secret.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FederationScene, LABEL_HOLDER, OWNERS, SAMPLES, WIDTH } from '../../test/support/federation-scene.ts';
import { suiteDirectory } from '../../test/support/temporary-directory.ts';
import { toyBundle } from '../../test/support/toy-bundles.ts';
import { bundleHash, decodeBundle, encodeBundle } from '../exchange/bundle/bundle.ts';
import { createKeyPair } from '../exchange/identity/key-pair.ts';

const SPIED = 'owner-0';
const SPY = 'owner-1';

describe('a federation', () => {
  const dir = suiteDirectory();
  const lines: string[] = [];
  let scene: FederationScene;
  beforeAll(async () => {
    const log = { level: 'trace', stream: { write: (line: string) => void lines.push(line) } };
    scene = await FederationScene.start({ data: join(dir, 'data'), log });
  });
  afterAll(() => scene?.server.close());

  /** Every route there is, with names of things that exist, of the owner that is spied on where there is a choice. */
  async function everyPath(): Promise<{ method: string; path: string }[]> {
    const db = scene.server.store.db;
    const upload = await db
      .selectFrom('uploads')
      .innerJoin('members', 'members.id', 'uploads.member')
      .select('uploads.id')
      .where('members.owner', '=', SPIED)
      .executeTakeFirstOrThrow();
    const training = await db.selectFrom('trainings').select('id').executeTakeFirstOrThrow();
    const { paths = {} } = scene.server.app.swagger() as { paths?: Record<string, object> };
    return Object.entries(paths).flatMap(([template, operations]) => {
      const id = template.includes('/trainings/') ? training.id : upload.id;
      const values: Record<string, string> = { federation: 'grid', owner: SPIED, version: '1', sample: 's0000', id };
      // A stream that never ends would never be looked at.
      const query = template.endsWith('/live/events') ? '?seconds=0' : '';
      const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name]) + query;
      return Object.keys(operations).map((method) => ({ method: method.toUpperCase(), path }));
    });
  }

  /** As text, as JSON numbers, as bytes and in base64. */
  function tracesOf(bytes: Uint8Array): string[] {
    const { embeddings } = decodeBundle(bytes, 'bundle');
    const raw = Buffer.from(embeddings.buffer, embeddings.byteOffset, 48);
    const numbers = Array.from(embeddings.subarray(0, 8), String);
    return [...numbers, raw.toString('latin1'), raw.toString('hex'), raw.subarray(0, 45).toString('base64')];
  }

  it('has routes, all of which the document lists', async () => {
    const paths = await everyPath();
    expect(paths.length).toBeGreaterThanOrEqual(25);
    expect(paths).toContainEqual({ method: 'GET', path: '/v1/federations/grid/models/1' });
  });

  it('shows an owner nothing of another through any of them, asked with any method', async () => {
    const secrets = [
      ...tracesOf(scene.bundles.get(SPIED) as Uint8Array),
      ...[scene.bundles.get(SPIED) as Uint8Array, scene.labels].map(bundleHash),
      ...OWNERS.filter((owner) => owner !== SPY),
      LABEL_HOLDER,
      scene.key(SPIED).id,
    ];
    for (const { path } of await everyPath()) {
      for (const method of ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS']) {
        if (path.endsWith('/live/s0000') && method === 'POST') continue; // the next test
        const { body, status } = await scene.ask(SPY, { method, path });
        // What the spy named itself is no news to it.
        const news = body.replaceAll(path, '').replaceAll(`upload ${path.split('/')[5]}`, '');
        for (const secret of secrets) expect(news, `${method} ${path}: ${status}`).not.toContain(secret);
      }
    }
  });

  it('tells an owner that asks live who was present, and no numbers of theirs', async () => {
    const own = (owner: string) => {
      const { embeddings } = decodeBundle(scene.bundles.get(owner) as Uint8Array, owner);
      return Array.from(embeddings.subarray(0, WIDTH));
    };
    const ask = (owner: string) =>
      scene.ask(owner, {
        method: 'POST',
        path: '/v1/federations/grid/live/s0000',
        body: { embedding: own(owner), quorum: 2, deadlineMs: 50_000 },
      });
    const [, { body }] = await Promise.all([ask(SPIED), ask(SPY)]);
    expect(JSON.parse(body)).toMatchObject({ owners: [SPIED, SPY] });
    for (const number of own(SPIED)) expect(body).not.toContain(String(number));
  });

  it('gives bundles and labels to nobody: not to the operator, not to the label holder', async () => {
    for (const member of ['operator', LABEL_HOLDER]) {
      for (const { method, path } of await everyPath()) {
        if (method !== 'GET') continue;
        const { body } = await scene.ask(member, { path });
        for (const secret of tracesOf(scene.bundles.get(SPIED) as Uint8Array)) expect(body).not.toContain(secret);
        expect(body).not.toContain(Buffer.from(scene.labels).toString('latin1').slice(-400, -200));
      }
    }
  });

  it('limits how often a member or an address asks; the others ask on, and whoever watches it may always', async () => {
    const limited = await FederationScene.start({ data: join(dir, 'limited'), requestsPerMinute: 40 });
    try {
      let answer = await limited.ask(SPY, { path: '/v1/federations/grid' });
      for (let i = 0; i < 60 && answer.status === 200; i++) {
        answer = await limited.ask(SPY, { path: '/v1/federations/grid' });
      }
      expect(answer).toMatchObject({ status: 429, code: 'F3_RATE_LIMIT' });
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(await limited.ask(SPIED, { path: '/v1/federations/grid' })).toMatchObject({ status: 200 });
      const open = (path: string) => limited.ask('', { path, token: '' });
      let page = await open('/openapi.json');
      for (let i = 0; i < 60 && page.status === 200; i++) page = await open('/openapi.json');
      expect(page).toMatchObject({ status: 429, code: 'F3_RATE_LIMIT' });
      for (const path of ['/healthz', '/readyz', '/metrics', '/v2/health/live', '/v2/health/ready']) {
        expect(await open(path)).toMatchObject({ status: 200 });
      }
    } finally {
      await limited.server.close();
    }
  });

  it('keeps no token, code, key or embedding in its log, whatever goes wrong', async () => {
    const tokens: string[] = [];
    const ask = async (member: string, asked: { method?: string; path: string; body?: object; token?: string }) => {
      const token = asked.token ?? (await scene.sign(member, asked));
      tokens.push(token);
      return scene.ask(member, { ...asked, token });
    };
    const embedding = Array.from({ length: WIDTH }, (_, k) => 0.123456 + k);
    const samples = [{ id: 's', embeddings: { [SPIED]: embedding } }];
    const { publicKey } = await createKeyPair();
    await ask('operator', { method: 'POST', path: '/v1/federations/grid/predict', body: { samples } });
    await ask('operator', { method: 'POST', path: '/v1/federations/grid/predict', body: { samples, odd: embedding } });
    await ask('operator', {
      method: 'POST',
      path: '/v1/federations/grid/predict',
      body: { samples },
      token: tokens[0],
    });
    await ask('', { method: 'POST', path: '/v1/enrol', token: '', body: { code: 'guess-of-a-code', publicKey } });
    await ask('', { method: 'POST', path: '/v1/enrol', token: '', body: { code: scene.codes[0], publicKey } });
    const sick = toyBundle(0, { samples: SAMPLES, width: () => WIDTH });
    sick.embeddings[5] = Number.NaN;
    await expect(scene.client(SPIED).upload('grid', 'bundle', encodeBundle(sick))).rejects.toThrow();
    // And when the database fails in the middle of it: its errors carry the statement and its values.
    const { store } = scene.server;
    await store.executeSql('alter table live_embeddings rename to hidden_embeddings');
    await store.executeSql('alter table invitations rename to hidden_invitations');
    const body = { embedding, quorum: 1 };
    const failed = [
      await ask(SPIED, { method: 'POST', path: '/v1/federations/grid/live/now', body }),
      await ask('', { method: 'POST', path: '/v1/enrol', token: '', body: { code: scene.codes[0], publicKey } }),
    ];
    for (const answer of failed) {
      expect(answer).toMatchObject({ status: 500, code: 'F3_INTERNAL' });
      expect(answer.body).not.toContain('hidden');
    }
    const log = lines.join('');
    expect(log.match(/request failed/g)).toHaveLength(2);
    const privateKeys = [...scene.keys.values()].map(({ privateKey }) => String(privateKey.d));
    const bytes = Buffer.from(Float32Array.from(embedding).buffer);
    const secrets = [
      ...tokens.filter((token) => token !== '').flatMap((token) => [token, ...token.split('.').slice(1)]),
      ...scene.codes,
      'guess-of-a-code',
      ...privateKeys,
      ...embedding.map(String),
      bytes.toString('hex'),
      bytes.toString('base64').slice(0, 20),
      ...tracesOf(scene.bundles.get(SPIED) as Uint8Array),
      JSON.stringify(Uint8Array.from(bytes)).slice(1, 40), // as pino writes bytes
    ];
    for (const secret of secrets.filter((text) => text.length > 5)) expect(log).not.toContain(secret);
  });
});
