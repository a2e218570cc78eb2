// A table of bad input and attacks: what is done, and the code with which it must be answered.
import { sql } from 'kysely';
import { expect } from 'vitest';
import { encodeArrow, floatListColumn, textColumn } from '../../src/base/arrow-table.ts';
import { encodeBundle } from '../../src/exchange/bundle/bundle.ts';
import { createKeyPair } from '../../src/exchange/identity/key-pair.ts';
import { DELETIONS, INVITATIONS } from './access-attacks.ts';
import {
  type Attack,
  append,
  arrowOf,
  complete,
  enrol,
  GRID,
  live,
  open,
  openedId,
  predict,
  push,
  sampleOf,
  toy,
  withValue,
  zeros,
} from './attack-requests.ts';
import { type Asked, LABEL_HOLDER, SAMPLES, WIDTH } from './federation-scene.ts';
import { MISTAKES } from './mistaken-requests.ts';
import { toyBundle, toyId } from './toy-bundles.ts';
import { UNKEEPABLE } from './unkeepable.ts';

const MIB = 2 ** 20;

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
      return push(scene, LABEL_HOLDER, twice, { kind: 'labels' });
    },
  },
  {
    name: 'a prediction by nobody',
    code: 'F3_REQUEST',
    attack: (scene) => scene.ask('operator', predict({ samples: [{ id: toyId(0), embeddings: {} }] })),
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
        method: 'PUT',
        path: `${GRID}/uploads/${id}?offset=5`,
        type: 'application/octet-stream',
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
      const { code } = await scene.client('operator').invite('grid', { owner: 'overdue', role: 'owner' });
      await sql`update invitations set expires = now() where owner = 'overdue'`.execute(scene.server.store.db);
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
    code: 'F3_AUTH_UNKNOWN',
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
        method: 'POST',
        path: `${GRID}/invitations`,
        body: { owner: 'keyed' },
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
    attack: (scene) => push(scene, LABEL_HOLDER, scene.bundles.get('owner-0') as Uint8Array),
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

/** They run in this order, because some use what earlier ones left. */
export const ATTACKS: readonly Attack[] = [
  ...CONTENT,
  ...SIZE,
  ...UNKEEPABLE,
  ...MISTAKES,
  ...IDENTITY,
  ...OTHERS,
  ...INVITATIONS,
  ...DELETIONS,
];
