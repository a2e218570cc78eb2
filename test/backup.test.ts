// A backup that is made while members send is restored into either database: every byte and the audit chain are the same.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportAudit } from '../src/exchange/audit/export-audit.ts';
import { verifyAudit } from '../src/exchange/audit/verify-audit.ts';
import { encodeBundle } from '../src/exchange/bundle/bundle.ts';
import { CoordinatorClient } from '../src/exchange/client/coordinator-client.ts';
import { loadKeyPair } from '../src/exchange/identity/key-pair.ts';
import { restoreServer } from '../src/server/restore-server.ts';
import { locationOf, openServer } from '../src/server/start-server.ts';
import { openDatabase } from '../src/storage/database/open-database.ts';
import { findTraining } from '../src/storage/trainings.ts';
import { runF3 } from './cli/run-f3.ts';
import { openedId } from './support/attack-requests.ts';
import { describeDatabase } from './support/describe-database.ts';
import { FederationScene, SAMPLES, WIDTH } from './support/federation-scene.ts';
import { type PostgresServer, postgresMissing, startPostgres } from './support/postgres-server.ts';
import { suiteDirectory, temporaryDirectory } from './support/temporary-directory.ts';
import { toyBundle } from './support/toy-bundles.ts';
import { unless } from './support/unless.ts';

const missing = await postgresMissing();
let postgres: PostgresServer | undefined;
beforeAll(async () => {
  postgres = missing === '' ? await startPostgres() : undefined;
});
afterAll(() => postgres?.stop());

type Held = Awaited<ReturnType<typeof describeDatabase>>;

describe.each(['embedded', 'PostgreSQL'])('a backup of a coordinator, %s', (kind) => {
  describe('', unless(kind === 'PostgreSQL' ? missing : ''), () => {
    const dir = suiteDirectory();
    let scene: FederationScene;
    let file: string;
    const busy: string[] = [];
    let held: Held;
    let training: string;
    /** An embedded place that one test restores into and another finds full, because making one takes seconds. */
    const full = join(dir, 'restored');

    beforeAll(async () => {
      const database = kind === 'PostgreSQL' ? await postgres?.createDatabase() : undefined;
      scene = await FederationScene.start({ data: join(dir, 'data'), work: false, ...(database && { database }) });
      await openedId(scene, 'owner-1', 5000);
      training = (await scene.client('operator').train('grid', { config: { epochs: 2, hidden: 4 }, split: 2 })).id;
      // Somebody sends all the while, and deletes what was sent: what the backup holds is of one moment.
      let isOver = false;
      const sending = (async () => {
        for (let version = 2; !isOver; version++) {
          const bundle = toyBundle(0, { samples: SAMPLES, width: () => WIDTH, seed: version });
          await scene.client('owner-0').upload('grid', 'bundle', encodeBundle(bundle));
          if (version > 2) await scene.client('owner-0').deleteBundle('grid', 'owner-0', version - 1);
        }
      })();
      for (let i = 0; i < 3; i++) busy.push((await scene.client('operator').backup()).file);
      isOver = true;
      await sending;
      file = (await scene.client('operator').backup()).file;
      await scene.server.close();
      const idle = await openServer({ data: join(dir, 'data'), database, port: 0, work: false });
      held = await describeDatabase(idle.store.db);
      await idle.close();
    });

    it.each(['embedded', 'PostgreSQL'])(
      'holds every bundle, model and entry when it is restored, %s',
      async (target) => {
        if (target === 'PostgreSQL' && !postgres) return;
        const data = target === 'PostgreSQL' ? join(temporaryDirectory(), 'data') : full;
        rmSync(data, { recursive: true, force: true }); // for a second try
        const database = target === 'PostgreSQL' ? await postgres?.createDatabase() : undefined;
        await restoreServer({ file, data, database });
        // Not the server's own store: the training that waited would change what it holds.
        const store = await openDatabase(locationOf(data, database));
        const { audit, ...rest } = await describeDatabase(store.db).finally(() => store.close());
        const { audit: told, ...others } = held;
        expect(rest).toEqual(others);
        // The entry about the backup came after its snapshot.
        const kept = told.slice(
          0,
          told.findLastIndex(({ action }) => action === 'backup.made'),
        );
        expect(audit).toEqual(kept);
        const server = await openServer({ data, database, port: 0, threads: 1 });
        try {
          const operator = new CoordinatorClient({ url: server.url, keys: await loadKeyPair(server.operatorKey) });
          for (const federation of ['grid', null]) {
            const lines: string[] = [];
            for await (const line of exportAudit(operator, federation)) lines.push(JSON.stringify(line));
            expect((await verifyAudit(lines, 'log')).problems).toEqual([]);
          }
          expect(await operator.me()).toMatchObject({ keyId: scene.key('operator').id });
          const state = async () => (await findTraining(server.store.db, training))?.status;
          await expect.poll(state, { interval: 200 }).toBe('done');
        } finally {
          await server.close();
        }
      },
    );

    it('is whole although members sent and deleted while it was made', async () => {
      // A PostgreSQL database is made in a moment, an embedded one in seconds.
      for (const one of postgres ? busy : busy.slice(-1)) {
        const database = await postgres?.createDatabase();
        const { rows, chunks } = await restoreServer({ file: one, data: join(temporaryDirectory(), 'data'), database });
        expect(Math.min(rows, chunks)).toBeGreaterThan(0);
      }
    });

    it('is refused by a place that is not empty, which stays as it was', async () => {
      if (kind === 'PostgreSQL') {
        const database = await postgres?.createDatabase();
        await restoreServer({ file, data: join(temporaryDirectory(), 'data'), database });
        const again = restoreServer({ file, data: join(temporaryDirectory(), 'data'), database });
        return expect(again).rejects.toMatchObject({ code: 'F3_BACKUP_TARGET' });
      }
      if (!existsSync(full)) await restoreServer({ file, data: full }); // of all tests only this one runs
      const key = readFileSync(join(full, 'operator-key.json'));
      await expect(restoreServer({ file, data: full })).rejects.toMatchObject({ code: 'F3_BACKUP_TARGET' });
      expect(readFileSync(join(full, 'operator-key.json'))).toEqual(key);
      const other = join(temporaryDirectory(), 'other');
      mkdirSync(join(other, 'database'), { recursive: true });
      writeFileSync(join(other, 'database', 'something'), '');
      await expect(restoreServer({ file, data: other })).rejects.toMatchObject({ code: 'F3_BACKUP_TARGET' });
    });

    it('that is cut off, changed or another file is refused before anything is written', async () => {
      const whole = readFileSync(file);
      const spoilt = join(temporaryDirectory(), 'spoilt');
      const data = join(temporaryDirectory(), 'data');
      const lengths = [0, 1, 100, Math.floor(whole.length / 2), whole.length - 200, whole.length - 1];
      const contents = [
        ...lengths.map((length) => whole.subarray(0, length)),
        ...[50, 3000, Math.floor(whole.length / 2), whole.length - 40].map((at) => {
          const copy = Buffer.from(whole);
          copy[at] ^= 1;
          return copy;
        }),
        Buffer.concat([whole, whole]),
        Buffer.from('{"kind":"start"}\n'),
      ];
      for (const content of contents) {
        writeFileSync(spoilt, content);
        await expect(restoreServer({ file: spoilt, data })).rejects.toMatchObject({ code: 'F3_BACKUP_FILE' });
        expect(existsSync(join(data, 'database'))).toBe(false);
      }
    });

    it('is made and restored by the command line, and not of a folder that is in use', async () => {
      if (kind === 'PostgreSQL') return;
      const out = join(temporaryDirectory(), 'f3.backup');
      const made = runF3('backup', '--data', join(dir, 'data'), '--out', out);
      expect(made).toMatchObject({ status: 0, stderr: '' });
      expect(runF3('backup', '--data', join(dir, 'data'), '--out', out).stderr).toMatch(/--force replaces it/);
      expect(runF3('backup', '--data', join(dir, 'nowhere'), '--out', out, '--force').stderr).toMatch(
        /must hold a database/,
      );
      const data = join(temporaryDirectory(), 'data');
      expect(runF3('restore', out, '--data', data).stdout).toMatch(/^restored \d+ rows and \d+ pieces of content/);
      expect(runF3('restore', out, '--data', data).stderr).toMatch(/F3_BACKUP_TARGET/);
      copyFileSync(out, `${out}.cut`);
      writeFileSync(`${out}.cut`, readFileSync(out).subarray(0, -10));
      expect(runF3('restore', `${out}.cut`, '--data', join(data, 'other')).stderr).toMatch(/cut off.*F3_BACKUP_FILE/);
      const server = await openServer({ data, port: 0, work: false });
      try {
        expect(runF3('backup', '--data', data, '--out', `${out}.2`).stderr).toMatch(/F3_STORAGE_LOCKED/);
      } finally {
        await server.close();
      }
    });
  });
});
