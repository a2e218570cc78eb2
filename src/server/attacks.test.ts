// Bad input and attacks, over a real port: each has its own code, and nothing of it is stored.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answered, type Asked, FederationScene, SAMPLES, WIDTH } from '../../test/support/federation-scene.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../../test/support/postgres-server.ts';
import { suiteDirectory } from '../../test/support/temporary-directory.ts';
import { toyBundle, toyId } from '../../test/support/toy-bundles.ts';
import { encodeArrow, floatListColumn, textColumn } from '../arrow-table.ts';
import type { ErrorCode } from '../errors.ts';
import { type Bundle, encodeBundle } from '../exchange/bundle.ts';
import { createKeyPair } from '../exchange/key-pair.ts';

const GRID = '/v1/federations/grid';
const MIB = 2 ** 20;
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** What is stored before `attack` is called must be what is stored after it. */
interface Attack {
  name: string;
  code: ErrorCode;
  prepare?: (scene: FederationScene) => Promise<unknown>;
  attack: (scene: FederationScene, prepared: never) => Promise<Answered>;
}

/** Opens, sends and completes; the first refusal, or the last answer. */
async function push(
  scene: FederationScene,
  member: string,
  bytes: Uint8Array,
  { kind = 'bundle', sha256 = hashOf(bytes) }: { kind?: 'bundle' | 'labels'; sha256?: string } = {},
): Promise<Answered> {
  const opened = await open(scene, member, { kind, sha256, size: bytes.length });
  if (opened.status !== 200) return opened;
  const { id } = JSON.parse(opened.body) as { id: string };
  const sent = await append(scene, member, id, bytes);
  return sent.status === 200 ? scene.ask(member, complete(id)) : sent;
}

const open = (scene: FederationScene, member: string, body: { kind: string; sha256: string; size: number }) =>
  scene.ask(member, { method: 'POST', path: `${GRID}/uploads`, body });
const append = (scene: FederationScene, member: string, id: string, body: Uint8Array) =>
  scene.ask(member, { method: 'PUT', path: `${GRID}/uploads/${id}?offset=0`, body, type: 'application/octet-stream' });
const complete = (id: string): Asked => ({ method: 'POST', path: `${GRID}/uploads/${id}/complete` });
const openedId = async (scene: FederationScene, member: string, size: number): Promise<string> =>
  JSON.parse(
    (await open(scene, member, { kind: 'bundle', sha256: hashOf(Buffer.from(`${Math.PI * size}`)), size })).body,
  ).id;

const toy = (change: (bundle: Bundle) => Partial<Bundle> = () => ({})): Uint8Array => {
  const bundle = toyBundle(0, { samples: SAMPLES, width: () => WIDTH, seed: 3 });
  return encodeBundle({ ...bundle, ...change(bundle) });
};
const withValue = (value: number) =>
  toy(({ embeddings }) => ({ embeddings: embeddings.map((number, at) => (at === 7 ? value : number)) }));
const predict = (body: Asked['body'], type = 'application/json'): Asked => ({
  ...{ method: 'POST', path: `${GRID}/predict`, body: body ?? {}, type },
});
const sampleOf = (embedding: number[], id = 's') => ({ id, embeddings: { 'owner-0': embedding } });
const arrowOf = (values: number[], width: number) =>
  encodeArrow(
    {
      sample: textColumn(['s']),
      owner: textColumn(['owner-0']),
      embedding: floatListColumn(Float32Array.from(values), width),
    },
    {},
  );
const live = (body: object): Asked => ({ method: 'POST', path: `${GRID}/live/now`, body });
const zeros = (width: number) => new Array<number>(width).fill(0);
const enrol = async (code: string): Promise<Asked> => ({
  ...{ method: 'POST', path: '/v1/enrol', token: '', body: { code, publicKey: (await createKeyPair()).publicKey } },
});

const CONTENT: Attack[] = [
  {
    name: 'a later bundle of another width',
    code: 'F3_BUNDLE_WIDTH',
    attack: (scene) => push(scene, 'owner-0', encodeBundle(toyBundle(0, { samples: SAMPLES, width: () => WIDTH + 1 }))),
  },
  {
    name: 'a prediction of another width, as JSON',
    code: 'F3_FUSE_WIDTH',
    attack: (scene) => scene.ask('operator', predict({ samples: [sampleOf(zeros(WIDTH + 1))] })),
  },
  {
    name: 'a prediction of another width, as Arrow',
    code: 'F3_FUSE_WIDTH',
    attack: (scene) =>
      scene.ask('operator', predict(arrowOf(zeros(WIDTH - 1), WIDTH - 1), 'application/vnd.apache.arrow.stream')),
  },
  {
    name: 'a live embedding of another width',
    code: 'F3_FUSE_WIDTH',
    attack: (scene) => scene.ask('owner-0', live({ embedding: zeros(WIDTH + 1) })),
  },
  {
    name: 'NaN in a bundle',
    code: 'F3_BUNDLE_NOT_FINITE',
    attack: (scene) => push(scene, 'owner-0', withValue(Number.NaN)),
  },
  {
    name: 'an infinite number in a bundle',
    code: 'F3_BUNDLE_NOT_FINITE',
    attack: (scene) => push(scene, 'owner-0', withValue(Number.NEGATIVE_INFINITY)),
  },
  {
    name: 'NaN in a prediction, as Arrow',
    code: 'F3_BUNDLE_NOT_FINITE',
    attack: (scene) =>
      scene.ask('operator', predict(arrowOf([0, Number.NaN, 0, 0], WIDTH), 'application/vnd.apache.arrow.stream')),
  },
  {
    name: 'NaN in JSON, which has none',
    code: 'F3_REQUEST',
    attack: (scene) =>
      scene.ask('operator', predict(Buffer.from('{"samples":[{"id":"s","embeddings":{"owner-0":[NaN,0,0,0]}}]}'))),
  },
  {
    name: 'a number in a prediction that is infinite as float32',
    code: 'F3_BUNDLE_NOT_FINITE',
    attack: (scene) => scene.ask('operator', predict({ samples: [sampleOf([1e39, 0, 0, 0])] })),
  },
  {
    name: 'a number in a live embedding that is infinite as float32',
    code: 'F3_BUNDLE_NOT_FINITE',
    attack: (scene) => scene.ask('owner-0', live({ embedding: [0, -1e39, 0, 0] })),
  },
  {
    name: 'a sample twice in a bundle',
    code: 'F3_BUNDLE_DUPLICATE',
    attack: (scene) =>
      push(
        scene,
        'owner-0',
        toy(({ samples }) => ({ samples: [samples[1], ...samples.slice(1)] })),
      ),
  },
  {
    name: 'a sample twice in labels',
    code: 'F3_LABELS',
    attack: (scene) => {
      const twice = encodeArrow({ sample: textColumn(['a', 'a']), label: textColumn(['calm', 'storm']) }, {});
      return push(scene, 'holder', twice, { kind: 'labels' });
    },
  },
  {
    name: 'a sample twice in a prediction',
    code: 'F3_REQUEST',
    attack: (scene) => scene.ask('operator', predict({ samples: [sampleOf(zeros(WIDTH)), sampleOf(zeros(WIDTH))] })),
  },
  {
    name: 'an owner twice for a sample in a prediction, as Arrow',
    code: 'F3_BUNDLE_DUPLICATE',
    attack: (scene) => {
      const [sample, owner] = [textColumn(['s', 's']), textColumn(['owner-0', 'owner-0'])];
      const table = encodeArrow({ sample, owner, embedding: floatListColumn(new Float32Array(2 * WIDTH), WIDTH) }, {});
      return scene.ask('operator', predict(table, 'application/vnd.apache.arrow.stream'));
    },
  },
  {
    name: 'integer ids where the other owners have texts',
    code: 'F3_BUNDLE_ID_TYPE',
    attack: (scene) =>
      push(
        scene,
        'owner-0',
        toy(({ samples }) => ({ sampleType: 'integer', samples: samples.map((_, row) => String(row)) })),
      ),
  },
  {
    name: 'an empty sample id',
    code: 'F3_BUNDLE_ID',
    attack: (scene) =>
      push(
        scene,
        'owner-0',
        toy(({ samples }) => ({ samples: ['', ...samples.slice(1)] })),
      ),
  },
  {
    name: 'truncated Arrow',
    code: 'F3_BUNDLE_FORMAT',
    attack: (scene) => push(scene, 'owner-0', toy().slice(0, -900)),
  },
  {
    name: 'truncated Arrow in a prediction',
    code: 'F3_BUNDLE_FORMAT',
    attack: (scene) =>
      scene.ask(
        'operator',
        predict(arrowOf(zeros(WIDTH), WIDTH).slice(0, -600), 'application/vnd.apache.arrow.stream'),
      ),
  },
  {
    name: 'content of another hash than announced',
    code: 'F3_UPLOAD_HASH',
    attack: (scene) => push(scene, 'owner-0', toy(), { sha256: '0'.repeat(64) }),
  },
];

const SIZE: Attack[] = [
  {
    name: 'a chunk above the limit',
    code: 'F3_REQUEST_SIZE',
    prepare: (scene) => openedId(scene, 'owner-0', 20 * MIB),
    attack: (scene, id) => append(scene, 'owner-0', id, new Uint8Array(8 * MIB + 1)),
  },
  {
    name: 'more bytes than announced',
    code: 'F3_UPLOAD_SIZE',
    prepare: (scene) => openedId(scene, 'owner-0', 10),
    attack: (scene, id) => append(scene, 'owner-0', id, new Uint8Array(11)),
  },
  {
    name: 'an announcement above the limit',
    code: 'F3_UPLOAD_LIMIT',
    attack: (scene) => open(scene, 'owner-0', { kind: 'bundle', sha256: '1'.repeat(64), size: 2 ** 30 + 1 }),
  },
  {
    name: 'a chunk that leaves a gap',
    code: 'F3_UPLOAD_OFFSET',
    prepare: (scene) => openedId(scene, 'owner-0', 30),
    attack: (scene, id) =>
      scene.ask('owner-0', {
        ...{ method: 'PUT', path: `${GRID}/uploads/${id}?offset=5`, type: 'application/octet-stream' },
        body: new Uint8Array(5),
      }),
  },
  {
    name: 'completion before all bytes are there',
    code: 'F3_UPLOAD_STATE',
    prepare: (scene) => openedId(scene, 'owner-0', 40),
    attack: (scene, id) => scene.ask('owner-0', complete(id)),
  },
  {
    name: 'headers without end',
    code: 'F3_REQUEST_SIZE',
    attack: (scene) => scene.ask('operator', { path: GRID, headers: { 'x-long': 'x'.repeat(20_000) } }),
  },
];

const status: Asked = { path: GRID };
const create: Asked = { method: 'POST', path: '/v1/federations', body: { name: 'mine' } };

const IDENTITY: Attack[] = [
  { name: 'an unknown code', code: 'F3_INVITATION', attack: async (scene) => scene.ask('', await enrol('guess')) },
  {
    name: 'a code that was used',
    code: 'F3_INVITATION_USED',
    attack: async (scene) => scene.ask('', await enrol(scene.codes[0])),
  },
  {
    name: 'a code that expired',
    code: 'F3_INVITATION_EXPIRED',
    prepare: async (scene) => {
      const { code } = await scene.client('operator').invite('grid', { owner: 'late', role: 'owner' });
      await sql`update invitations set expires = now() where owner = 'late'`.execute(scene.server.store.db);
      return code;
    },
    attack: async (scene, code) => scene.ask('', await enrol(code)),
  },
  {
    name: 'a revoked owner',
    code: 'F3_AUTH_REVOKED',
    prepare: async (scene) => {
      await scene.join('gone');
      await scene.client('operator').revoke('grid', 'gone');
    },
    attack: (scene) => push(scene, 'gone', scene.bundles.get('owner-0') as Uint8Array),
  },
  {
    name: 'a revoked owner that joins again with its code',
    code: 'F3_INVITATION_USED',
    attack: (scene) => {
      const body = { code: scene.codes.at(-1), publicKey: scene.key('gone').publicKey };
      return scene.ask('', { method: 'POST', path: '/v1/enrol', token: '', body });
    },
  },
  {
    name: 'a key that never joined',
    code: 'F3_AUTH_UNKNOWN',
    prepare: async (scene) => scene.keys.set('stranger', await createKeyPair()),
    attack: (scene) => scene.ask('stranger', create),
  },
  { name: 'no token', code: 'F3_AUTH_TOKEN', attack: (scene) => scene.ask('operator', { ...create, token: '' }) },
  {
    name: 'a token signed with another key',
    code: 'F3_AUTH_TOKEN',
    attack: async (scene) => {
      scene.keys.set('forger', { ...scene.key('owner-1'), id: scene.key('operator').id });
      return scene.ask('forger', create);
    },
  },
  {
    name: 'a token of an hour ago',
    code: 'F3_AUTH_EXPIRED',
    attack: async (scene) =>
      scene.ask('operator', {
        ...create,
        token: await scene.sign('operator', create, new Date(Date.now() - 3_600_000)),
      }),
  },
  {
    name: 'a replayed request',
    code: 'F3_AUTH_REPLAY',
    prepare: async (scene) => {
      const token = await scene.sign('operator', status);
      expect(await scene.ask('operator', { ...status, token })).toMatchObject({ status: 200 });
      return token;
    },
    attack: (scene, token) => scene.ask('operator', { ...status, token }),
  },
  {
    name: 'a tampered body',
    code: 'F3_AUTH_TAMPERED',
    attack: async (scene) =>
      scene.ask('operator', { ...create, body: { name: 'his' }, token: await scene.sign('operator', create) }),
  },
  {
    name: 'a body of a type that is not signed for',
    code: 'F3_REQUEST',
    attack: async (scene) => {
      const token = await scene.sign('operator', { method: 'POST', path: '/v1/federations' });
      return scene.ask('operator', { ...create, type: 'text/plain', token });
    },
  },
  {
    name: 'a tampered path',
    code: 'F3_AUTH_TAMPERED',
    attack: async (scene) => {
      const revoke = (owner: string) => ({ method: 'POST', path: `${GRID}/members/${owner}/revoke` });
      return scene.ask('operator', { ...revoke('owner-1'), token: await scene.sign('operator', revoke('owner-2')) });
    },
  },
  {
    name: 'a tampered query',
    code: 'F3_AUTH_TAMPERED',
    attack: async (scene) => {
      const asked = { path: `${GRID}/audit?after=0` };
      return scene.ask('operator', { path: `${GRID}/audit?after=1`, token: await scene.sign('operator', asked) });
    },
  },
  {
    name: 'a tampered method',
    code: 'F3_AUTH_TAMPERED',
    attack: async (scene) => {
      const token = await scene.sign('operator', { path: '/v1/federations' });
      return scene.ask('operator', { method: 'POST', path: '/v1/federations', token });
    },
  },
  {
    name: 'an Idempotency-Key for another request',
    code: 'F3_REQUEST_KEY',
    prepare: (scene) =>
      scene.ask('operator', {
        ...{ method: 'POST', path: `${GRID}/invitations`, body: { owner: 'keyed' } },
        headers: { 'idempotency-key': 'one' },
      }),
    attack: (scene) => scene.ask('operator', { ...create, headers: { 'idempotency-key': 'one' } }),
  },
];

const OTHERS: Attack[] = [
  {
    name: "a bundle in another owner's name",
    code: 'F3_OWNER_MISMATCH',
    attack: (scene) => push(scene, 'owner-1', scene.bundles.get('owner-0') as Uint8Array),
  },
  {
    name: 'a bundle in a name that looks the same',
    code: 'F3_OWNER_MISMATCH',
    attack: (scene) =>
      push(
        scene,
        'owner-0',
        toy(() => ({ owner: 'оwner-0' })),
      ), // a Cyrillic о
  },
  ...(['GET', 'PUT', 'POST'] as const).map(
    (method): Attack => ({
      name: `another owner's upload (${method})`,
      code: 'F3_UPLOAD_UNKNOWN',
      prepare: (scene) => openedId(scene, 'owner-0', 50),
      attack: (scene, id) => {
        if (method === 'PUT') return append(scene, 'owner-1', id, new Uint8Array(50));
        return scene.ask('owner-1', method === 'GET' ? { path: `${GRID}/uploads/${id}` } : complete(id));
      },
    }),
  ),
  {
    name: "an owner that sends labels, or the label holder's upload",
    code: 'F3_AUTH_FORBIDDEN',
    attack: (scene) => push(scene, 'owner-0', scene.labels, { kind: 'labels' }),
  },
  {
    name: 'a label holder that sends a bundle',
    code: 'F3_AUTH_FORBIDDEN',
    attack: (scene) => push(scene, 'holder', scene.bundles.get('owner-0') as Uint8Array),
  },
  {
    name: 'a live embedding in the name of another owner',
    code: 'F3_REQUEST',
    attack: (scene) => scene.ask('owner-0', live({ owner: 'owner-1', embedding: zeros(WIDTH) })),
  },
  {
    name: 'an owner that revokes another',
    code: 'F3_AUTH_FORBIDDEN',
    attack: (scene) => scene.ask('owner-0', { method: 'POST', path: `${GRID}/members/owner-1/revoke` }),
  },
  {
    name: 'a member of another federation',
    code: 'F3_AUTH_FORBIDDEN',
    prepare: async (scene) => {
      await scene.client('operator').createFederation('elsewhere');
      await scene.join('mole', 'operator', 'elsewhere');
    },
    attack: (scene) => scene.ask('mole', { method: 'POST', path: `${GRID}/invitations`, body: { owner: 'friend' } }),
  },
];

const named = (name: string) => `/v1/federations/${name}`;
const PATHS: [path: string, code: ErrorCode][] = [
  [named('nowhere'), 'F3_FEDERATION_UNKNOWN'],
  [named('nowhere/models'), 'F3_FEDERATION_UNKNOWN'],
  [named('nowhere/audit'), 'F3_FEDERATION_UNKNOWN'],
  ['/v2/models/nowhere', 'F3_FEDERATION_UNKNOWN'],
  ['/v1/federations/../../metrics', 'F3_ROUTE'],
  ['/v1/../metrics', 'F3_ROUTE'],
  ['//metrics', 'F3_ROUTE'],
  [named('..'), 'F3_REQUEST_PATH'],
  [named('%2e%2e'), 'F3_REQUEST_PATH'],
  [named('..%2f..%2fetc%2fpasswd'), 'F3_REQUEST_PATH'],
  [named('..%5c..%5cboot.ini'), 'F3_REQUEST_PATH'],
  [named('grid%2fmodels'), 'F3_REQUEST_PATH'],
  [named('grid%00'), 'F3_REQUEST_PATH'],
  [named('grid%0a'), 'F3_REQUEST_PATH'],
  [named('GRID'), 'F3_REQUEST_PATH'],
  [named('gr%D1%96d'), 'F3_REQUEST_PATH'], // a Cyrillic і
  [named('%EF%BD%87rid'), 'F3_REQUEST_PATH'], // a full-width g
  [named("grid';--"), 'F3_REQUEST_PATH'],
  [named('__proto__'), 'F3_REQUEST_PATH'],
  [named('a'.repeat(61)), 'F3_REQUEST_PATH'],
  [named('%zz'), 'F3_REQUEST_PATH'],
  [named('%ff'), 'F3_REQUEST_PATH'],
  [named('grid/models/0'), 'F3_REQUEST_PATH'],
  [named('grid/models/1e99'), 'F3_REQUEST_PATH'],
  [named('grid/trainings/1'), 'F3_REQUEST_PATH'],
];

const missing = await postgresMissing();

describe.each(['embedded', 'PostgreSQL'])('an attack, %s', (kind) => {
  describe.skipIf(kind === 'PostgreSQL' && missing)('', () => {
    const dir = suiteDirectory();
    let scene: FederationScene;
    let postgres: PostgresServer | undefined;
    beforeAll(async () => {
      postgres = kind === 'PostgreSQL' ? await startPostgres() : undefined;
      const database = await postgres?.createDatabase();
      scene = await FederationScene.start({ data: join(dir, 'data'), ...(database && { database }) });
    }, 120_000);
    afterAll(async () => {
      await scene?.server.close();
      await postgres?.stop();
    }, 60_000);

    it.each([...CONTENT, ...SIZE, ...IDENTITY, ...OTHERS])('with $name is $code', async ({ code, prepare, attack }) => {
      const prepared = await prepare?.(scene);
      const before = await scene.rowCounts();
      const answer = await attack(scene, prepared as never);
      expect(answer.code, answer.body).toBe(code);
      expect(answer.status).toBeLessThan(500);
      expect(await scene.rowCounts()).toEqual(before);
    });

    it.each(PATHS)('on %s is %s', async (path, code) => {
      const before = await scene.rowCounts();
      expect(await scene.ask('operator', { path })).toMatchObject({ code });
      expect(await scene.rowCounts()).toEqual(before);
    });

    it('on names that are too long is refused without reading them', async () => {
      for (const length of [1025, 4000, 40_000]) {
        const { status, code } = await scene.ask('operator', { path: named('a'.repeat(length)) });
        expect([400, 404, 414, 431]).toContain(status);
        expect(code).toMatch(/^F3_/);
      }
    });

    it('leaves a federation that still works', async () => {
      const samples = [sampleOf(zeros(WIDTH), toyId(0))];
      expect(await scene.client('operator').predict('grid', { samples })).toMatchObject({ model: 1 });
      const wider = encodeBundle(toyBundle(0, { samples: SAMPLES, width: () => WIDTH + 1 }));
      const options = [undefined, { newWidth: true }] as const;
      expect(await scene.client('owner-0').upload('grid', 'bundle', wider, ...options)).toMatchObject({ version: 2 });
    });

    it('by opening uploads without end leaves eight of them', async () => {
      const blobs = async () => (await scene.rowCounts())['public.uploads'];
      for (let size = 100; size < 120; size++) await openedId(scene, 'owner-2', size);
      const most = await blobs();
      for (let size = 120; size < 130; size++) await openedId(scene, 'owner-2', size);
      expect(await blobs()).toBe(most);
    });
  });
});
