// Attacks with uploads: content that is made to kill its check, or to keep the coordinator busy.
import { join } from 'node:path';
import {
  Dictionary,
  Field,
  FixedSizeList,
  Float32,
  Int32,
  RecordBatchFileWriter,
  Schema,
  Table,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { complete, GRID, push } from '../../../test/support/attack-requests.ts';
import { FederationScene, LABEL_HOLDER, SAMPLES, WIDTH } from '../../../test/support/federation-scene.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../../../test/support/postgres-server.ts';
import { suiteDirectory } from '../../../test/support/temporary-directory.ts';
import { toyBundle } from '../../../test/support/toy-bundles.ts';
import { unless } from '../../../test/support/unless.ts';
import { encodeArrow, textColumn } from '../../base/arrow-table.ts';
import { encodeBundle } from '../../exchange/bundle/bundle.ts';
import { openServer } from '../start-server.ts';

const missing = await postgresMissing();
const LIMITS = { bundleRows: 400_000, rowBytes: 256, checkHeapMb: 48, checksWaiting: 6, bundleBytes: 2 ** 25 };

/** A bundle of integer ids and width 1: the most ids per byte. */
function manyIds(rows: number, owner = 'owner-0'): Uint8Array {
  const samples = Array.from({ length: rows }, (_, i) => String(i));
  const embeddings = Float32Array.from({ length: rows }, (_, i) => i);
  return encodeBundle({ owner, samples, sampleType: 'integer', width: 1, embeddings });
}

/** A bundle as owner number `i` may send it, other than its last. */
const another = (i: number, seed: number) =>
  encodeBundle({ ...toyBundle(0, { samples: SAMPLES, width: () => WIDTH, seed }), owner: `owner-${i}` });

describe.each(['embedded', 'PostgreSQL'])('an attack with uploads, %s', (kind) => {
  describe('', unless(kind === 'PostgreSQL' ? missing : ''), () => {
    const dir = suiteDirectory();
    let scene: FederationScene;
    let postgres: PostgresServer | undefined;
    let database: string | undefined;
    const options = () => ({ data: join(dir, 'data'), ...(database && { database }), limits: LIMITS });
    beforeAll(async () => {
      postgres = kind === 'PostgreSQL' ? await startPostgres() : undefined;
      database = await postgres?.createDatabase();
      scene = await FederationScene.start({ ...options(), work: false });
    });
    afterAll(async () => {
      await scene?.server.close();
      await postgres?.stop();
    });

    const verdicts = async () =>
      (await scene.server.store.db.selectFrom('uploads').selectAll().where('state', '=', 'refused').execute()).length;

    it('of bundles that are large together is not compared sample by sample, and none of them is read', async () => {
      const { db } = scene.server.store;
      const where = (owner: string) => db.updateTable('bundles').where('owner', '=', owner);
      const compared = () => scene.ask('operator', { path: `${GRID}/overlap` });
      const [{ summary, size }] = await db.selectFrom('bundles').selectAll().where('owner', '=', 'owner-2').execute();
      const sound = { summary: JSON.stringify(summary), size };
      const many = { ...sound, summary: JSON.stringify({ ...summary, samples: 5_000_000 }) };
      for (const change of [many, { ...sound, size: 2 ** 28 + 1 }]) {
        await where('owner-2').set(change).execute();
        expect(await compared()).toMatchObject({ status: 409, code: 'F3_EVALUATION' });
        await where('owner-2').set(sound).execute();
      }
      expect(await compared()).toMatchObject({ status: 200 });
    });

    it('of more ids than allowed is refused once and for good, also after a restart, while health is answered', async () => {
      const bytes = manyIds(LIMITS.bundleRows + 1);
      const refused = { status: 413, code: 'F3_UPLOAD_LIMIT' };
      const health: number[] = [];
      let isOver = false;
      const watch = (async () => {
        while (!isOver) health.push((await fetch(`${scene.server.url}/healthz`)).status);
      })();
      const first = await push(scene, 'owner-0', bytes.subarray(0, 8 * 2 ** 20)).catch((error) => error);
      expect(first).not.toBeInstanceOf(Error);
      const client = scene.client('owner-0');
      await expect(client.upload('grid', 'bundle', bytes)).rejects.toMatchObject({ code: 'F3_UPLOAD_LIMIT' });
      isOver = true;
      await watch;
      expect(new Set(health)).toEqual(new Set([200]));
      const rows = await scene.server.store.db
        .selectFrom('uploads')
        .select('id')
        .where('state', '=', 'refused')
        .execute();
      const { id } = rows[rows.length - 1];
      await scene.server.close();
      scene.server = await openServer({ ...options(), port: 0, work: false, requestsPerMinute: 1e6 });
      const before = await scene.server.store.db.selectFrom('uploads').selectAll().where('id', '=', id).execute();
      for (let time = 0; time < 3; time++) expect(await scene.ask('owner-0', complete(id))).toMatchObject(refused);
      expect(await scene.server.store.db.selectFrom('uploads').selectAll().where('id', '=', id).execute()).toEqual(
        before,
      );
      expect(await scene.ask('owner-0', { path: `${GRID}/uploads/${id}` })).toMatchObject({ status: 200 });
    });

    it('of rows that are wider than allowed is refused', async () => {
      const [samples, width] = [['a', 'b'], 65];
      const wide = encodeBundle({
        owner: 'owner-0',
        samples,
        sampleType: 'text',
        width,
        embeddings: new Float32Array(130),
      });
      expect(await push(scene, 'owner-0', wide)).toMatchObject({ status: 413, code: 'F3_UPLOAD_LIMIT' });
    });

    it('that ends its check for want of memory is refused, and the next one is checked', async () => {
      // A dictionary of one long text that unfolds to hundreds of thousands, more than the check may hold.
      const rows = 390_000;
      const ids = Array.from({ length: rows }, (_, i) => `${'x'.repeat(200)}${i % 3}`);
      const list = new FixedSizeList(1, new Field('item', new Float32(), false));
      const columns = new Table({
        sample: vectorFromArray(ids, new Dictionary(new Utf8(), new Int32())),
        embedding: vectorFromArray(
          ids.map((_, i) => [i]),
          list,
        ),
      });
      const card = { 'f3.format': 'f3-bundle', 'f3.version': '1', 'f3.owner': 'owner-0', 'f3.width': '1' };
      const schema = new Schema(columns.schema.fields, new Map(Object.entries(card)));
      const bytes = RecordBatchFileWriter.writeAll(new Table(schema, columns.batches)).toUint8Array(true);
      expect(bytes.length).toBeLessThan(8 * 2 ** 20);
      const { status, code } = await push(scene, 'owner-0', bytes);
      expect(status).toBeLessThan(500);
      expect(['F3_UPLOAD_LIMIT', 'F3_BUNDLE_DUPLICATE']).toContain(code);
      expect(await push(scene, 'owner-0', another(0, 91))).toMatchObject({ status: 200 });
    });

    it.each([
      ['NUL in a class', ['calm', 'sto\0rm']],
      ['half a character in a class', ['calm', 'sto\ud800rm']],
      ['a line break in a class', ['calm', 'sto\nrm']],
    ])('of labels with %s is refused, as a request is', async (_, classes) => {
      await scene.client('operator').createFederation(`loose-${kind.toLowerCase()}-${classes[1].charCodeAt(3)}`);
      const federation = `loose-${kind.toLowerCase()}-${classes[1].charCodeAt(3)}`;
      await scene.join(`holder-${federation}`, 'labels', federation);
      const labels = encodeArrow({ sample: textColumn(['a', 'b']), label: textColumn(classes) }, {});
      const sent = scene.client(`holder-${federation}`).upload(federation, 'labels', labels);
      await expect(sent).rejects.toMatchObject({ code: 'F3_LABELS' });
    });

    it.each([
      ['NUL in a sample id', 'a\0b'],
      ['a control character in a sample id', 'a\u0007b'],
      ['half a character in a sample id', 'a\ud800b'],
    ])('of labels with %s is refused', async (_, id) => {
      const labels = encodeArrow({ sample: textColumn([id, 'c']), label: textColumn(['calm', 'storm']) }, {});
      const answer = await push(scene, LABEL_HOLDER, labels, { kind: 'labels' });
      expect(answer).toMatchObject({ status: 422, code: 'F3_BUNDLE_ID' });
    });

    it('that toggles two versions checks nothing again', async () => {
      const client = scene.client('owner-1');
      const versions = [another(1, 201), another(1, 202)];
      for (const bytes of versions) await client.upload('grid', 'bundle', bytes);
      const spoiled = { samples: 1, width: WIDTH, sampleType: 'text', votes: true, warnings: ['from the verdict'] };
      await scene.server.store.db
        .updateTable('uploads')
        .set({ verdict: JSON.stringify({ summary: spoiled }) })
        .where('state', '=', 'complete')
        .execute();
      for (const bytes of [...versions, ...versions]) {
        await client.upload('grid', 'bundle', bytes, undefined, { again: true });
      }
      const bundles = await scene.server.store.db
        .selectFrom('bundles')
        .selectAll()
        .where('owner', '=', 'owner-1')
        .orderBy('version')
        .execute();
      expect(bundles.slice(-3).map(({ summary }) => summary)).toEqual([spoiled, spoiled, spoiled]);
    });

    it('of thirty completions at once is queued, and what the queue cannot hold is told to come back', async () => {
      const before = await verdicts();
      const answers = await Promise.all(
        Array.from({ length: 30 }, async (_, i) => {
          const client = scene.client(['owner-0', 'owner-1', 'owner-2'][i % 3]);
          const bytes = another(i % 3, 300 + i);
          // On a busy machine one may wait for a connection to the database for longer than it is given, and comes back as clients do.
          const upload = (): Promise<string> =>
            client.upload('grid', 'bundle', bytes).then(
              () => 'stored',
              ({ code }: { code: string }) => (code === 'F3_NOT_READY' ? upload() : code),
            );
          return upload();
        }),
      );
      const expected = ['stored', 'F3_BUSY', 'F3_UPLOAD_UNKNOWN'];
      expect(answers.filter((answer) => !expected.includes(answer))).toEqual([]);
      expect(answers.filter((answer) => answer === 'stored').length).toBeGreaterThan(5);
      expect(await verdicts()).toBe(before);
      expect(await push(scene, 'owner-0', another(0, 400))).toMatchObject({ status: 200 });
    });
  });
});
