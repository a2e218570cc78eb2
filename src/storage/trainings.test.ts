// Trainings, checkpoints, models and live embeddings, on both databases.
import { expect, test } from 'vitest';
import { describeStores, someFederation, someMember } from '../../test/support/describe-stores.ts';
import { readBlob } from './blobs.ts';
import { deleteCheckpoints, loadCheckpoint, saveCheckpoint } from './checkpoints.ts';
import { inTransaction } from './database/in-transaction.ts';
import { listLiveEmbeddings, listLiveOwners, putLiveEmbeddings, removeExpiredEmbeddings } from './live-embeddings.ts';
import { revokeMember } from './members.ts';
import { activateModel, activeModel, addModel, listModels, requireModel } from './models.ts';
import type { Db } from './schema.ts';
import {
  cancelTraining,
  createTraining,
  endCancelled,
  failTraining,
  finishTraining,
  listNewestTrainings,
  reportProgress,
  requireTraining,
  startTraining,
} from './trainings.ts';

async function queued(db: Db) {
  const federation = await someFederation(db);
  return createTraining(db, { federation, requestedBy: 'registry', options: { seed: 1, rates: [0.1] } });
}

describeStores('trainings', (suite) => {
  test('a training runs, reports and ends', async () => {
    const { id, federation } = await queued(suite.db);
    expect(await requireTraining(suite.db, id)).toMatchObject({
      status: 'queued',
      options: { seed: 1, rates: [0.1] },
      cancelRequested: false,
      progress: null,
    });
    const [{ place: before }] = await listNewestTrainings(suite.db, federation, 100);
    expect(before).toBeGreaterThan(0);
    const run = await startTraining(suite.db, id, 'box:7');
    expect(run).toMatchObject({ status: 'running', attempt: 1 });
    expect(await reportProgress(suite.db, run, { epoch: 3, trainLoss: 0.5 })).toBe(false);
    await inTransaction(suite.db, async (trx) => {
      const { version } = await addModel(trx, { federation, training: id, card: {}, weights: Buffer.of(1) });
      await finishTraining(trx, run, version, { promoted: true });
    });
    const done = await requireTraining(suite.db, id);
    expect(done).toMatchObject({
      status: 'done',
      modelVersion: 1,
      promotion: { promoted: true },
      progress: { epoch: 3, trainLoss: 0.5 },
    });
    expect(done.finished!.getTime()).toBeGreaterThanOrEqual(done.started!.getTime());
    const [{ place, ...listed }, ...others] = await listNewestTrainings(suite.db, federation, 100);
    expect(done).toMatchObject(listed);
    expect([place, listed.worker]).toEqual([null, 'box:7']);
    expect(others).toEqual([]);
    expect(listed).not.toHaveProperty('options');
  });

  test('what has ended does not start, fail, finish or get cancelled', async () => {
    const { id } = await queued(suite.db);
    const run = await startTraining(suite.db, id);
    const failed = await failTraining(suite.db, run, { code: 'F3_FUSE_DIVERGED', message: 'NaN' });
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'F3_FUSE_DIVERGED', message: 'NaN' } });
    const refused = { code: 'F3_TRAINING_STATE' };
    await expect(startTraining(suite.db, id)).rejects.toMatchObject(refused);
    await expect(finishTraining(suite.db, run, 1, {})).rejects.toMatchObject(refused);
    await expect(cancelTraining(suite.db, id)).rejects.toMatchObject(refused);
    await expect(startTraining(suite.db, crypto.randomUUID())).rejects.toMatchObject({ code: 'F3_TRAINING_UNKNOWN' });
    await expect(cancelTraining(suite.db, crypto.randomUUID())).rejects.toMatchObject({ code: 'F3_TRAINING_UNKNOWN' });
  });

  test('a queued training is cancelled at once, a running one by its worker', async () => {
    const first = await queued(suite.db);
    expect(await cancelTraining(suite.db, first.id)).toMatchObject({ status: 'cancelled' });
    expect(await cancelTraining(suite.db, first.id)).toMatchObject({ status: 'cancelled' });
    await expect(startTraining(suite.db, first.id)).rejects.toMatchObject({ code: 'F3_TRAINING_STATE' });
    const second = await queued(suite.db);
    const run = await startTraining(suite.db, second.id);
    expect(await cancelTraining(suite.db, second.id)).toMatchObject({ status: 'running', cancelRequested: true });
    expect(await reportProgress(suite.db, run, {})).toBe(true);
    expect(await endCancelled(suite.db, run)).toMatchObject({ status: 'cancelled' });
  });

  test('a worker that was taken over writes nothing more, and its model goes with its transaction', async () => {
    const { id, federation } = await queued(suite.db);
    const old = await startTraining(suite.db, id);
    await saveCheckpoint(suite.db, old, 0.1, Buffer.from('old'));
    const fresh = await startTraining(suite.db, id);
    expect(fresh.attempt).toBe(2);
    const refused = { code: 'F3_TRAINING_STATE' };
    await expect(reportProgress(suite.db, old, {})).rejects.toMatchObject(refused);
    await expect(saveCheckpoint(suite.db, old, 0.1, Buffer.from('late'))).rejects.toMatchObject(refused);
    const finishOld = inTransaction(suite.db, async (trx) => {
      const { version } = await addModel(trx, { federation, training: id, card: {}, weights: Buffer.of(1) });
      await finishTraining(trx, old, version, {});
    });
    await expect(finishOld).rejects.toMatchObject(refused);
    expect(await listModels(suite.db, federation)).toEqual([]);
    expect(Buffer.from((await loadCheckpoint(suite.db, id, 0.1))!).toString()).toBe('old');
  });

  test('a checkpoint replaces the one of its learning rate and leaves no bytes of it', async () => {
    const { id } = await queued(suite.db);
    const run = await startTraining(suite.db, id);
    const chunks = async () =>
      Number((await suite.store.executeSql('select count(*)::int as n from blob_chunks')).rows[0].n);
    const before = await chunks();
    for (const text of ['one', 'two', 'three']) await saveCheckpoint(suite.db, run, 0.001, Buffer.from(text));
    await saveCheckpoint(suite.db, run, 0.01, Buffer.from('other'));
    expect(Buffer.from((await loadCheckpoint(suite.db, id, 0.001))!).toString()).toBe('three');
    expect(Buffer.from((await loadCheckpoint(suite.db, id, 0.01))!).toString()).toBe('other');
    expect(await loadCheckpoint(suite.db, id, 0.5)).toBeUndefined();
    expect(await chunks()).toBe(before + 2);
    await deleteCheckpoints(suite.db, id);
    expect(await loadCheckpoint(suite.db, id, 0.01)).toBeUndefined();
    expect(await chunks()).toBe(before);
  });

  test('models are numbered without gaps; any of them can be made active, forwards and back', async () => {
    const federation = await someFederation(suite.db);
    expect(await activeModel(suite.db, federation)).toBeUndefined();
    const weights = Buffer.alloc(1_500_000, 7);
    const made = await Promise.all(
      [1, 2, 3].map(() => addModel(suite.db, { federation, training: null, card: { layerSizes: [1] }, weights })),
    );
    expect(made.map(({ version }) => version).sort()).toEqual([1, 2, 3]);
    await activateModel(suite.db, federation, 3);
    expect(await activeModel(suite.db, federation)).toMatchObject({ version: 3, card: { layerSizes: [1] } });
    await activateModel(suite.db, federation, 1);
    const active = await activeModel(suite.db, federation);
    expect(active).toEqual(await requireModel(suite.db, federation, 1));
    expect(Buffer.compare(await readBlob(suite.db, active!.blob), weights)).toBe(0);
    await expect(activateModel(suite.db, federation, 4)).rejects.toMatchObject({ code: 'F3_MODEL_UNKNOWN' });
    expect(await listModels(suite.db, federation)).toHaveLength(3);
  });

  test('live embeddings wait together until they expire; the last one of an owner counts', async () => {
    const federation = await someFederation(suite.db);
    for (const owner of ['b', 'a', 'c']) await someMember(suite.db, federation, owner);
    const expires = new Date(Date.now() + 60_000);
    const live = (owner: string, numbers: number[], sample = 's') => ({
      federation,
      sample,
      owner,
      embedding: Float32Array.from(numbers),
      expires,
    });
    await putLiveEmbeddings(suite.db, [live('b', [1.5, -2])]);
    await putLiveEmbeddings(suite.db, [live('a', [0])]);
    await putLiveEmbeddings(suite.db, [live('a', [7, 7, 7]), live('a', [9], 'another sample'), live('a', [0.1, 3])]);
    const both = [
      { owner: 'a', width: 2, embedding: Float32Array.of(0.1, 3) },
      { owner: 'b', width: 2, embedding: Float32Array.of(1.5, -2) },
    ];
    expect(await listLiveEmbeddings(suite.db, federation, 's')).toEqual(both);
    expect(await listLiveOwners(suite.db, federation, 's')).toEqual([
      { owner: 'a', width: 2 },
      { owner: 'b', width: 2 },
      { owner: 'c', width: null },
    ]);
    expect(await listLiveEmbeddings(suite.db, federation, 's', expires)).toEqual([]);
    await removeExpiredEmbeddings(suite.db);
    expect(await listLiveEmbeddings(suite.db, federation, 's')).toEqual(both);
    await removeExpiredEmbeddings(suite.db, expires);
    expect(await listLiveEmbeddings(suite.db, federation, 's')).toEqual([]);
  });

  test('live embeddings of who is no owner, or one no longer, do not count', async () => {
    const federation = await someFederation(suite.db);
    const expires = new Date(Date.now() + 60_000);
    for (const owner of ['a', 'b', 'c']) await someMember(suite.db, federation, owner);
    const embedding = Float32Array.of(1);
    await putLiveEmbeddings(
      suite.db,
      ['a', 'b', 'c', 'stranger'].map((owner) => ({ federation, sample: 's', owner, embedding, expires })),
    );
    for (const owner of ['b', 'c']) await revokeMember(suite.db, federation, owner);
    await someMember(suite.db, federation, 'c', 'labels');
    expect(await listLiveEmbeddings(suite.db, federation, 's')).toEqual([{ owner: 'a', width: 1, embedding }]);
    expect(await listLiveOwners(suite.db, federation, 's')).toEqual([{ owner: 'a', width: 1 }]);
  });
});
