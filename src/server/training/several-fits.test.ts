// Trainings of several fits: a search and an ensemble, what they tell, how they go on after an interruption, what they serve.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FederationScene } from '../../../test/support/federation-scene.ts';
import { noticeWrite } from '../../../test/support/notice-write.ts';
import { suiteDirectory } from '../../../test/support/temporary-directory.ts';
import type { TrainingRequest } from '../../exchange/messages.ts';
import { readBlob } from '../../storage/blobs.ts';
import { requireModel } from '../../storage/models.ts';
import { loadTrainingFits } from '../../storage/training-fits.ts';
import { cancelTraining, findTraining } from '../../storage/trainings.ts';
import { runTraining } from './run-training.ts';

describe('a training of several fits', () => {
  const dir = suiteDirectory();
  let scene: FederationScene;
  beforeAll(async () => {
    scene = await FederationScene.start({ data: join(dir, 'data'), work: false });
  });
  afterAll(() => scene?.server.close());

  const ask = async (request: TrainingRequest) =>
    (await scene.client('operator').train('grid', { split: 1, ...request })).id;
  const run = (id: string, options = {}, store = scene.server.store) =>
    runTraining(store, id, { threads: 1, ...options });
  const weightsOf = async (version: number | null) => {
    const { db } = scene.server.store;
    return readBlob(db, (await requireModel(db, 'grid', version as number)).blob);
  };
  const several: [string, TrainingRequest][] = [
    ['search', { preset: 'auto', budget: { fits: 4 }, config: { epochs: 60, patience: 60, hidden: 4 } }],
    ['ensemble', { ensemble: { fits: 3 }, config: { epochs: 60, patience: 60, hidden: 4 } }],
  ];

  it.each(several)(
    'as a %s that is interrupted repeats no finished fit and comes to the same bits',
    async (_, request) => {
      const { db } = scene.server.store;
      const id = await ask(request);
      const stop = new AbortController();
      const store = noticeWrite(scene.server.store, 'training_fits', () => stop.abort());
      await expect(run(id, { signal: stop.signal }, store)).rejects.toThrow();
      expect((await findTraining(db, id))?.status).toBe('running');
      const kept = [...(await loadTrainingFits(db, id)).keys()];
      expect(kept.length).toBeGreaterThan(0);
      const resumed = await run(id);
      const whole = await run(await ask(request));
      expect(resumed).toMatchObject({ status: 'done', attempt: 2 });
      expect(await weightsOf(resumed.modelVersion)).toEqual(await weightsOf(whole.modelVersion));
      expect((await loadTrainingFits(db, id)).size).toBe(0);
    },
  );

  it('tells of a search which fit of how many it makes, and keeps what was tried in the card', async () => {
    const done = await run(await ask({ preset: 'auto', budget: { fits: 2 }, config: { epochs: 2, hidden: 4 } }));
    expect(done).toMatchObject({
      status: 'done',
      progress: { search: { done: 2, total: 2, fit: expect.any(Number) } },
    });
    const { card } = await requireModel(scene.server.store.db, 'grid', done.modelVersion as number);
    expect(card).toMatchObject({
      search: { fits: 2, tried: expect.arrayContaining([expect.objectContaining({ chosen: true })]) },
    });
  });

  it('of an ensemble says how many models it is, shows the mean graph of its members, and says so where they have none', async () => {
    const learned = await run(await ask({ preset: 'paper', ensemble: { fits: 2 }, config: { epochs: 3, hidden: 4 } }));
    const graph = await scene.client('operator').modelGraph('grid', learned.modelVersion as number);
    expect(graph).toMatchObject({ kind: 'learned', mean: expect.any(Number) });
    const listed = await scene.client('operator').models('grid');
    expect(listed.find(({ version }) => version === learned.modelVersion)).toMatchObject({ members: 2 });
    const single = await run(await ask({ preset: 'paper', config: { epochs: 1, graph: 'none' } }));
    expect((await scene.client('operator').model('grid', single.modelVersion as number)).ensemble).toBeUndefined();
    const [last] = (await scene.client('operator').models('grid')).slice(-1);
    expect(last).not.toHaveProperty('members');
    const pooled = await run(
      await ask({ preset: 'paper', ensemble: { fits: 2 }, config: { epochs: 3, graph: 'none' } }),
    );
    await expect(scene.client('operator').modelGraph('grid', pooled.modelVersion as number)).rejects.toThrow(
      expect.objectContaining({
        code: 'F3_MODEL_GRAPH',
        message: expect.stringContaining('method consensus, graph none'),
      }),
    );
  });

  it('is cancelled between its fits, and leaves none of them', async () => {
    const { db } = scene.server.store;
    const id = await ask({ preset: 'auto', budget: { fits: 50 }, config: { epochs: 200, patience: 200, hidden: 4 } });
    const running = run(id);
    await expect.poll(async () => (await findTraining(db, id))?.progress).toBeTruthy();
    await cancelTraining(db, id);
    expect(await running).toMatchObject({ status: 'cancelled', modelVersion: null });
    expect((await loadTrainingFits(db, id)).size).toBe(0);
  });

  it.each<[TrainingRequest, RegExp]>([
    [{ preset: 'auto', ensemble: { fits: 2 } }, /ensemble: is not for preset auto/],
    [{ preset: 'auto', learningRates: [0.1] }, /learningRates: is not for preset auto/],
    [{ budget: { fits: 3 } }, /budget: is for preset auto only/],
    [{ preset: 'auto', budget: { fits: 0 } }, /budget/],
    [{ ensemble: { fits: 51 } }, /ensemble/],
    [{ ensemble: { fits: 2 }, config: { method: 'boosting' } }, /fits: must be 1 where no seed changes the model/],
    [{ preset: 'auto', config: { neighbours: 3 } }, /neighbours: is for graph knn only/],
  ])('refuses %o', async (request, message) => {
    await expect(ask(request)).rejects.toThrow(message);
  });
});
