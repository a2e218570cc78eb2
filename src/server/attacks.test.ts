// Bad input and attacks, over a real port: each has its own code, and nothing of it is stored.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openedId, sampleOf, zeros } from '../../test/support/attack-requests.ts';
import { ATTACKS } from '../../test/support/attacks.ts';
import { FederationScene, LABEL_HOLDER, SAMPLES, WIDTH } from '../../test/support/federation-scene.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../../test/support/postgres-server.ts';
import { suiteDirectory } from '../../test/support/temporary-directory.ts';
import { toyBundle, toyId } from '../../test/support/toy-bundles.ts';
import { unless } from '../../test/support/unless.ts';
import type { ErrorCode } from '../errors.ts';
import { encodeBundle } from '../exchange/bundle/bundle.ts';
import { createKeyPair } from '../exchange/identity/key-pair.ts';
import { signRequest } from '../exchange/identity/request-token.ts';

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
  [named('grid/models/99999999999'), 'F3_REQUEST_PATH'], // beyond what a database's integer holds
  [named('grid/trainings/1'), 'F3_REQUEST_PATH'],
];

const missing = await postgresMissing();

describe.each(['embedded', 'PostgreSQL'])('an attack, %s', (kind) => {
  describe('', unless(kind === 'PostgreSQL' ? missing : ''), () => {
    const dir = suiteDirectory();
    let scene: FederationScene;
    let postgres: PostgresServer | undefined;
    beforeAll(async () => {
      postgres = kind === 'PostgreSQL' ? await startPostgres() : undefined;
      const database = await postgres?.createDatabase();
      scene = await FederationScene.start({ data: join(dir, 'data'), ...(database && { database }) });
    });
    afterAll(async () => {
      await scene?.server.close();
      await postgres?.stop();
    });

    it.each(ATTACKS)('with $name is $code', async ({ code, prepare, attack }) => {
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

    it('is not seen in a whole character that JSON spells as a pair', async () => {
      const name = `smile-${kind.toLowerCase()}`;
      const asked = {
        method: 'POST',
        path: '/v1/federations',
        body: Buffer.from(`{"name":"${name}","classes":["\\ud83d\\ude00","b"]}`),
      };
      const answer = await scene.ask('operator', asked);
      expect(JSON.parse(Buffer.from(answer.body, 'latin1').toString())).toMatchObject({ classes: ['\u{1f600}', 'b'] });
    });

    it('on names that are too long is refused without reading them', async () => {
      for (const length of [1025, 4000, 40_000]) {
        const { status, code } = await scene.ask('operator', { path: named('a'.repeat(length)) });
        expect([400, 404, 414, 431]).toContain(status);
        expect(code).toMatch(/^F3_/);
      }
    });

    it('with a garbage signature learns nothing of a key id: neither name, nor role, nor whether it has joined', async () => {
      const operator = scene.key('operator').id;
      const ids = [operator, scene.key('owner-1').id, scene.key(LABEL_HOLDER).id, (await createKeyPair()).id];
      const forger = await createKeyPair();
      const paths = ['/v1/me', '/v1/federations', named('grid'), named('grid/models'), named('nowhere')];
      for (const path of paths) {
        const answers = new Set<string>();
        for (const id of ids) {
          const token = await signRequest({ ...forger, id }, { method: 'GET', path, body: new Uint8Array() });
          const { status, body } = await scene.ask('', { path, token });
          answers.add(`${status} ${body}`);
        }
        expect([...answers]).toEqual([expect.stringMatching(/^401 .*F3_AUTH_UNKNOWN/)]);
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
