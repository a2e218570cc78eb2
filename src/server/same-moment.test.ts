// Two things at the same moment: a model is replaced, a training cancelled, the coordinator ended while somebody is served.
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FederationScene, LABEL_HOLDER, WIDTH } from '../../test/support/federation-scene.ts';
import { suiteDirectory } from '../../test/support/temporary-directory.ts';
import { listModels } from '../storage/models.ts';
import { runTraining } from './training/run-training.ts';

describe('at the same moment', () => {
  const dir = suiteDirectory();
  let scene: FederationScene;
  const threads: Worker[] = [];
  const notice = (thread: Worker) => void threads.push(thread);
  beforeAll(async () => {
    process.on('worker', notice);
    scene = await FederationScene.start({ data: join(dir, 'data'), work: false });
  });
  afterAll(() => {
    process.off('worker', notice);
    return scene?.server.close();
  });

  const asked = async (epochs: number) => {
    const { id } = await scene.client('operator').train('grid', {
      config: { epochs, hidden: 4 },
      split: 1,
      promote: 'always',
    });
    return id;
  };

  /** What a member has heard of a training so far, and the end of it. */
  const watch = async (member: string, training: string) => {
    const path = `/v1/federations/grid/trainings/${training}/events`;
    const events = await scene.client(member).connection.stream(path);
    const seen: string[] = [];
    const ended = (async () => {
      for await (const chunk of events) seen.push(Buffer.from(chunk).toString());
    })();
    return { heard: () => seen.join(''), ended };
  };

  it('a model is replaced and asked: who began with it gets its answer', async () => {
    await runTraining(scene.server.store, await asked(1), { threads: 1 });
    const embedding = new Array<number>(WIDTH).fill(0);
    const live = scene.client('owner-0').live('grid', 'slow', { embedding, deadlineMs: 1500 });
    const isKept = async () => (await scene.rowCounts())['public.live_embeddings'] === 1;
    await expect.poll(isKept).toBe(true);
    await scene.client('operator').activate('grid', 1);
    const samples = [{ id: 's', embeddings: { 'owner-1': embedding } }];
    expect(await scene.client('operator').predict('grid', { samples })).toMatchObject({ model: 1 });
    expect(await live).toMatchObject({ model: 2, owners: ['owner-0'] });
  });

  it('a training is cancelled and ends: cancelled it is, and leaves neither model nor checkpoint', async () => {
    const { store } = scene.server;
    // Somebody cancels right after each epoch was told of, so that its worker does not hear of it before the next.
    await store.executeSql(`create function cancel_it() returns trigger language plpgsql as $$
      begin update trainings set cancel_requested = true where id = new.id; return null; end $$`);
    await store.executeSql(`create trigger cancel_it after update of progress on trainings
      for each row execute function cancel_it()`);
    const [models, before] = [await listModels(store.db, 'grid'), await scene.rowCounts()];
    for (const epochs of [1, 5]) {
      const ended = await runTraining(store, await asked(epochs), { threads: 1, checkpointSeconds: 0 });
      expect(ended).toMatchObject({ status: 'cancelled', modelVersion: null });
    }
    await store.executeSql('drop function cancel_it cascade');
    expect(await listModels(store.db, 'grid')).toEqual(models);
    const { 'public.checkpoints': checkpoints, 'public.blobs': blobs } = await scene.rowCounts();
    expect({ checkpoints, blobs }).toEqual({ checkpoints: 0, blobs: before['public.blobs'] });
  });

  it('a label holder is revoked and watches a training: it hears no more of it', async () => {
    const id = await asked(1);
    const { heard, ended } = await watch(LABEL_HOLDER, id);
    await expect.poll(heard).toContain('"state":"queued"');
    await scene.client('operator').revoke('grid', LABEL_HOLDER);
    await scene.client('operator').cancelTraining('grid', id);
    await ended;
    expect(heard()).not.toContain('cancelled');
  });

  it('the threads that check tokens, compute and hold the database have ended: the next request starts them again', async () => {
    const embedding = new Array<number>(WIDTH).fill(0);
    const ask = () =>
      scene.client('operator').predict('grid', { samples: [{ id: 's', embeddings: { 'owner-1': embedding } }] });
    const before = await ask();
    expect(threads.length).toBeGreaterThanOrEqual(3);
    await Promise.all(threads.splice(0).map((thread) => thread.terminate()));
    expect(await ask()).toEqual(before);
    expect(await scene.client('operator').federations()).toHaveLength(1); // which the database has to be asked for
    expect(threads).toHaveLength(3);
  });

  it('the coordinator ends, a training is watched and a prediction waits: both end, and it does', async () => {
    const { heard, ended } = await watch('operator', await asked(1));
    await expect.poll(heard).toContain('"state":"queued"');
    const embedding = new Array<number>(WIDTH).fill(0);
    const live = scene.client('owner-0').live('grid', 'last', { embedding, deadlineMs: 2000 });
    const isKept = async () => (await scene.rowCounts())['public.live_embeddings'] === 2;
    await expect.poll(isKept).toBe(true);
    await scene.server.close(); // a line kept open would take 72 s
    await ended;
    expect(await live).toMatchObject({ owners: ['owner-0'] });
  });
});
