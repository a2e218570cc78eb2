// Versions of bundles that are deleted, on both databases: their bytes go, what needs them does not lose them.
import { expect, test } from 'vitest';
import { describeStores, someFederation, someMember } from '../../test/support/describe-stores.ts';
import { sha256 } from '../base/sha256.ts';
import { listUsedBundles } from './bundle-uses.ts';
import { addBundle, listBundles } from './bundles.ts';
import { deleteBundle } from './delete-bundle.ts';
import { revokeMember } from './members.ts';
import { addModel } from './models.ts';
import type { Db } from './schema.ts';
import { createTraining, finishTraining, startTraining } from './trainings.ts';
import { appendToUpload, completeUpload, findUpload, openUpload } from './uploads.ts';

const OWNER = 'plant-7';

describeStores('deleting bundles', (suite) => {
  /** A federation whose owner has sent these contents, one after the other. */
  async function sent(...contents: string[]) {
    const { db } = suite;
    const federation = await someFederation(db);
    const member = await someMember(db, federation, OWNER);
    const push = async (content: string, again = false) => {
      const bytes = Buffer.from(content);
      const opened = {
        federation,
        member: member.id,
        kind: 'bundle',
        size: bytes.length,
        sha256: sha256(bytes),
      } as const;
      const { id, state, blob } = await openUpload(db, opened);
      if (state === 'open') await appendToUpload(db, id, 0, bytes);
      const newest = async (on: Db) => (await listBundles(on, federation, OWNER)).at(-1)?.version ?? 0;
      const { version } = await completeUpload(
        db,
        id,
        {
          check: async () => ({ summary: { samples: 1 } }),
          insert: async (trx, { blob: stored, sha256: hash, size }, summary) =>
            (
              await addBundle(trx, {
                federation,
                owner: OWNER,
                member: member.id,
                blob: stored,
                sha256: hash,
                size,
                summary,
              })
            ).version,
          newest,
        },
        { again },
      );
      return { id, version, blob, sha256: opened.sha256 };
    };
    const pushed = [];
    for (const content of contents) pushed.push(await push(content));
    const remove = (version: number, despiteModels = false) =>
      deleteBundle(db, { federation, owner: OWNER, version }, { despiteModels });
    const model = (hash: string) =>
      addModel(db, {
        federation,
        training: null,
        weights: new Uint8Array(1),
        card: {
          owners: [
            { owner: 'other', bundle: 'x' },
            { owner: OWNER, bundle: hash },
          ],
        },
      });
    return { federation, pushed, push, remove, model };
  }

  const chunksOf = async (blob: string) =>
    (await suite.db.selectFrom('blobChunks').select('position').where('blob', '=', blob).execute()).length;

  test('frees the bytes of an old version, and keeps its number for ever', async () => {
    const { federation, pushed, push, remove } = await sent('first', 'second');
    expect(await chunksOf(pushed[0].blob)).toBe(1);
    const gone = await remove(1);
    expect(gone).toMatchObject({
      owner: OWNER,
      version: 1,
      sha256: pushed[0].sha256,
      size: 5,
      models: [],
      isNew: true,
    });
    expect(await chunksOf(pushed[0].blob)).toBe(0);
    expect(await suite.db.selectFrom('blobs').selectAll().where('id', '=', pushed[0].blob).execute()).toEqual([]);
    expect(await chunksOf(pushed[1].blob)).toBe(1);
    expect(await remove(1)).toMatchObject({ version: 1, deleted: gone.deleted, isNew: false });
    expect((await listBundles(suite.db, federation)).map(({ version }) => version)).toEqual([2]);
    // The same file may be sent anew; it is not taken for one that is there.
    expect(await findUpload(suite.db, pushed[0].id)).toBeUndefined();
    expect(await push('first')).toMatchObject({ version: 3 });
  });

  test('refuses the version that counts, until its owner is revoked, and unknown ones', async () => {
    const { federation, push, remove } = await sent('first', 'second');
    await expect(remove(2)).rejects.toMatchObject({ code: 'F3_BUNDLE_COUNTS' });
    await expect(remove(3)).rejects.toMatchObject({ code: 'F3_BUNDLE_UNKNOWN' });
    await revokeMember(suite.db, federation, OWNER);
    expect(await remove(2)).toMatchObject({ version: 2, isNew: true });
    expect(await remove(1)).toMatchObject({ version: 1, isNew: true });
    expect(await listBundles(suite.db, federation)).toEqual([]);
    await expect(push('third')).rejects.toMatchObject({ code: 'F3_AUTH_REVOKED' });
    const back = await someMember(suite.db, federation, OWNER);
    const [blob] = await suite.db.selectFrom('blobs').select('id').limit(1).execute();
    const kept = { federation, owner: OWNER, member: back.id, blob: blob.id, sha256: 'x', size: 1, summary: {} };
    expect(await addBundle(suite.db, kept)).toMatchObject({ version: 3 });
  });

  test('refuses what a training under way needs, and no longer when it has ended', async () => {
    const { federation, remove, model } = await sent('first', 'second');
    const bundles = [{ owner: OWNER, version: 1 }];
    const { id } = await createTraining(suite.db, { federation, requestedBy: 'ops', options: { bundles } });
    await expect(remove(1, true)).rejects.toMatchObject({
      code: 'F3_BUNDLE_IN_TRAINING',
      message: expect.stringContaining(`got training ${id}`),
    });
    const run = await startTraining(suite.db, id);
    await expect(remove(1, true)).rejects.toMatchObject({ code: 'F3_BUNDLE_IN_TRAINING' });
    const { version } = await model('another');
    await finishTraining(suite.db, run, version, {});
    expect(await remove(1)).toMatchObject({ isNew: true });
  });

  test('refuses what a model learned from, names the models, and does it if it is told to', async () => {
    const { pushed, remove, model } = await sent('first', 'second');
    for (const _ of [1, 2]) await model(pushed[0].sha256);
    await expect(remove(1)).rejects.toMatchObject({
      code: 'F3_BUNDLE_IN_MODEL',
      message: `bundle ${OWNER} version 1: must not be needed to refit a model, got models 1, 2, which learned from it`,
      remedy: 'despiteModels',
    });
    expect(await chunksOf(pushed[0].blob)).toBe(1);
    expect(await remove(1, true)).toMatchObject({ models: [1, 2] });
    expect(await chunksOf(pushed[0].blob)).toBe(0);
  });

  test('keeps bytes that count once more under another number', async () => {
    const { federation, pushed, push, remove, model } = await sent('first', 'second');
    await model(pushed[0].sha256);
    expect(await push('first', true)).toMatchObject({ version: 3 });
    expect(await listUsedBundles(suite.db, federation, OWNER)).toMatchObject([
      { version: 1, uses: { counts: false, models: [1], trainings: [] } },
      { version: 2, uses: { counts: false, models: [], trainings: [] } },
      { version: 3, uses: { counts: true, models: [1], trainings: [] } },
    ]);
    expect(await remove(1)).toMatchObject({ models: [] }); // version 3 has the same bytes
    expect(await chunksOf(pushed[0].blob)).toBe(1);
    expect(await findUpload(suite.db, pushed[0].id)).toMatchObject({ version: 3 });
  });

  test('of many at once, deletes once', async () => {
    const { pushed, remove } = await sent('first', 'second');
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => remove(1)));
    const done = outcomes.filter((one) => one.status === 'fulfilled' && one.value.isNew);
    expect(done).toHaveLength(1);
    expect(await chunksOf(pushed[0].blob)).toBe(0);
  });
});
