// A training as a job: where it computes, what it tells, and how it ends, on the embedded database.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FederationScene } from '../../../test/support/federation-scene.ts';
import { noticeWrite } from '../../../test/support/notice-write.ts';
import { suiteDirectory } from '../../../test/support/temporary-directory.ts';
import type { TrainingRequest } from '../../exchange/messages.ts';
import { recommendedPreset } from '../../fuse/fusion-config.ts';
import { readBlob } from '../../storage/blobs.ts';
import { loadCheckpoint } from '../../storage/checkpoints.ts';
import { requireModel } from '../../storage/models.ts';
import { findTraining, startTraining } from '../../storage/trainings.ts';
import { runTraining } from './run-training.ts';
import { TrainingRecord } from './training-record.ts';

describe('a training', () => {
  const dir = suiteDirectory();
  let scene: FederationScene;
  beforeAll(async () => {
    scene = await FederationScene.start({ data: join(dir, 'data'), work: false });
  });
  afterAll(() => scene?.server.close());

  const asked = async (config: TrainingRequest['config'], split: TrainingRequest['split'] = 1) =>
    (await scene.client('operator').train('grid', { config: { hidden: 4, ...config }, split })).id;
  const run = (id: string, options = {}, store = scene.server.store) =>
    runTraining(store, id, { threads: 1, ...options });
  const weightsOf = async (version: number | null) => {
    const { db } = scene.server.store;
    return readBlob(db, (await requireModel(db, 'grid', version as number)).blob);
  };

  it('computes in another thread than the one that serves', async () => {
    const id = await asked({ epochs: 3, hidden: 64, graph: 'icdf', predictionGraphs: 10_000 });
    const before = { all: process.cpuUsage(), here: process.threadCpuUsage() };
    expect(await run(id)).toMatchObject({ status: 'done' });
    const [all, here] = [process.cpuUsage(before.all), process.threadCpuUsage(before.here)];
    expect(here.user).toBeLessThan(all.user / 3);
  });

  it('has told of its last epoch when it is done', async () => {
    const done = await run(await asked({ epochs: 40, patience: 40, graph: 'icdf', predictionGraphs: 1 }));
    expect(done).toMatchObject({ status: 'done', progress: { epoch: 40, epochs: 40 } });
  });

  it('that tells faster than can be written is written of with what it told last', async () => {
    const { store } = scene.server;
    await store.executeSql(`create table told (number serial, progress jsonb);
      create function note_it() returns trigger language plpgsql as $$
        begin insert into told (progress) values (new.progress); return null; end $$;
      create trigger note_it after update of progress on trainings for each row execute function note_it()`);
    const id = await asked({ epochs: 1 });
    const { attempt } = await startTraining(store.db, id);
    const record = new TrainingRecord(store.db, { id, attempt }, () => undefined);
    for (let epoch = 1; epoch <= 1000; epoch++) record.report({ epoch });
    await record.settled();
    const { rows } = await store.executeSql('select progress from told order by number');
    expect(rows).toEqual([{ progress: { epoch: 1 } }, { progress: { epoch: 1000 } }]);
    await store.executeSql('drop function note_it cascade; drop table told');
  });

  it('that is interrupted goes on from its checkpoint, to the same bits', async () => {
    const { db } = scene.server.store;
    const config = { epochs: 200, patience: 200, graph: 'icdf', predictionGraphs: 300 };
    const id = await asked(config);
    const stop = new AbortController();
    const store = noticeWrite(scene.server.store, 'trainings', () => stop.abort(), 'progress');
    await expect(run(id, { signal: stop.signal, graceMs: 60_000 }, store)).rejects.toThrow('aborted');
    expect(await findTraining(db, id)).toMatchObject({ status: 'running', modelVersion: null });
    expect(await loadCheckpoint(db, id, recommendedPreset.learningRate)).toBeDefined();
    const resumed = await run(id);
    const whole = await run(await asked(config));
    expect(resumed).toMatchObject({ status: 'done', attempt: 2 });
    expect(await weightsOf(resumed.modelVersion)).toEqual(await weightsOf(whole.modelVersion));
  });

  it('learns without the owners that it is told to leave out, says so in the audit log, and refuses names of nobody', async () => {
    const { db } = scene.server.store;
    const operator = scene.client('operator');
    const train = (request: TrainingRequest) =>
      operator.train('grid', { split: 1, config: { epochs: 2, hidden: 4 }, ...request });
    const { id } = await train({ without: ['owner-1'] });
    const done = await runTraining(scene.server.store, id, { threads: 1 });
    const { card } = await requireModel(db, 'grid', done.modelVersion as number);
    expect(card).toMatchObject({ owners: [{ owner: 'owner-0' }, { owner: 'owner-2' }] });
    const entries = await operator.audit('grid');
    expect(entries).toContainEqual(
      expect.objectContaining({ details: expect.objectContaining({ bundles: 2, without: ['owner-1'] }) }),
    );
    const refused: [without: string[], message: string][] = [
      [['owner-9'], 'must name owners that have sent a bundle, got "owner-9"'],
      [['owner-0', 'owner-1', 'owner-2'], 'must leave a bundle'],
    ];
    const endless = train({ without: ['x'.repeat(50_000)] });
    await expect(endless).rejects.toSatisfy(({ message }: Error) => message.length < 1000);
    for (const [without, message] of refused) {
      await expect(train({ without })).rejects.toThrow(
        expect.objectContaining({ code: 'F3_FUSE_OWNER', message: expect.stringContaining(message) }),
      );
    }
    await expect(train({ without: ['owner-1'], refit: { owner: 'owner-0' } })).rejects.toMatchObject({
      code: 'F3_MODEL_REFIT',
    });
  });

  it('attack: a step without end; whoever ends the process does not wait for it, and the training can go on', async () => {
    const { db } = scene.server.store;
    const id = await asked({ epochs: 100_000, hidden: 4096, graph: 'icdf', predictionGraphs: 10_000 });
    const stop = new AbortController();
    const cut = expect(run(id, { signal: stop.signal, graceMs: 0 })).rejects.toThrow('has already ended');
    await expect.poll(async () => (await findTraining(db, id))?.status).toBe('running');
    stop.abort();
    await cut;
    expect(await findTraining(db, id)).toMatchObject({ status: 'running', error: null, modelVersion: null });
  });

  it('attack: a training too large for the memory of its worker fails before anything is read, and says the estimate', async () => {
    const failed = await run(await asked({ epochs: 1 }), { memory: 2 ** 20 });
    expect(failed).toMatchObject({
      status: 'failed',
      error: {
        code: 'F3_TRAINING_MEMORY',
        message: expect.stringMatching(
          /^training: must fit into the 1 MiB of memory that a training may take, got an estimate of \d+ MiB \(3 owners × 60 samples × width 4, 2 classes, consensus\)$/,
        ),
      },
    });
  });

  it('attack: a thousand epochs a second are written of a few times a second, the last one included', async () => {
    const { store } = scene.server;
    await store.executeSql(`create table told (at timestamptz default clock_timestamp());
      create function count_it() returns trigger language plpgsql as $$
        begin insert into told default values; return null; end $$;
      create trigger count_it after update of progress on trainings for each row execute function count_it()`);
    const epochs = 3000;
    const start = performance.now();
    const done = await run(await asked({ alignment: 'none', graph: 'none', epochs, patience: epochs }));
    const seconds = (performance.now() - start) / 1000;
    expect(done).toMatchObject({ status: 'done', progress: { epoch: epochs } });
    const { rows } = await store.executeSql('select count(*)::int as count from told');
    expect(rows[0].count as number).toBeLessThanOrEqual(2 + 4 * seconds);
    await store.executeSql('drop function count_it cascade; drop table told');
  });

  it('attack: a training whose epochs take minutes is cancelled before the first of them has ended', async () => {
    const { db } = scene.server.store;
    const id = await asked({ epochs: 2, hidden: 4096, graph: 'icdf', predictionGraphs: 10_000 });
    const running = run(id, { graceMs: 500 });
    while ((await findTraining(db, id))?.status !== 'running') await sleep(20);
    await scene.client('operator').cancelTraining('grid', id);
    expect(await running).toMatchObject({ status: 'cancelled', progress: null, modelVersion: null });
  });

  it('that cannot be learned as it was asked says why', async () => {
    const nobody = { train: ['nobody'], validation: ['no one'], test: ['none'] };
    expect(await run(await asked({ epochs: 1 }, nobody))).toMatchObject({
      status: 'failed',
      error: { code: 'F3_FUSE_SPLIT', message: expect.stringContaining('must') },
    });
  });
});
