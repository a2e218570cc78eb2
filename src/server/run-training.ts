// [coordinator] A training as a job: bundles and labels from the database, checkpoints and the model back into it.
import { Engine } from '../core/engine.ts';
import { errorCode } from '../errors.ts';
import { fingerprint } from '../fuse/checkpoint-folder.ts';
import { type Checkpoints, type FuseOptions, fuseOwners } from '../fuse/fuse-owners.ts';
import { encodeFusedModel } from '../fuse/fused-card.ts';
import type { FusedModel } from '../fuse/fused-model.ts';
import { type FusionConfig, paperPreset } from '../fuse/fusion-config.ts';
import { decodeCheckpoint, encodeCheckpoint, type TrainingState } from '../fuse/training-state.ts';
import { appendAudit } from '../storage/audit.ts';
import { deleteCheckpoints, loadCheckpoint, saveCheckpoint } from '../storage/checkpoints.ts';
import { inTransaction } from '../storage/in-transaction.ts';
import { activateModel, addModel } from '../storage/models.ts';
import type { Store } from '../storage/open-database.ts';
import type { Db, Training } from '../storage/schema.ts';
import {
  endCancelled,
  failTraining,
  finishTraining,
  holdTraining,
  reportProgress,
  requireTraining,
  startTraining,
  type TrainingRun,
} from '../storage/trainings.ts';
import { isRefit, refitStoredModel } from './refit-stored-model.ts';
import { readTrainingInput, type TrainingPlan } from './training-input.ts';

export interface RunOptions {
  threads?: number;
  signal?: AbortSignal;
  checkpointSeconds?: number;
}

const CHECKPOINT_SECONDS = 3;

/** Runs to its end whatever happens: a failure of the user's making is stored with the training, ours is thrown. */
export async function runTraining(store: Store, id: string, options: RunOptions = {}): Promise<Training> {
  const training = await startTraining(store.db, id);
  const run = { id, attempt: training.attempt };
  const engine = new Engine(options.threads === undefined ? {} : { threads: options.threads });
  const stop = new AbortController();
  const interrupted = () => stop.abort();
  options.signal?.addEventListener('abort', interrupted, { once: true });
  try {
    const plan = training.options as unknown as TrainingPlan;
    const config: FusionConfig = { ...paperPreset, ...plan.config };
    const seconds = options.checkpointSeconds ?? CHECKPOINT_SECONDS;
    let cancelled = false;
    let reported = Promise.resolve();
    const onEpoch: FuseOptions['onEpoch'] = (report) => {
      reported = reported.then(async () => {
        if (!(await reportProgress(store.db, run, { ...report, epochs: config.epochs }))) return;
        cancelled = true;
        stop.abort();
      });
      reported.catch(interrupted);
    };
    const watched = { signal: stop.signal, onEpoch };
    const fused = isRefit(plan)
      ? await refitStoredModel(engine, store.db, training.federation, plan, watched)
      : await fuseStored(engine, store.db, training, { run, plan, config, ...watched, seconds });
    await reported;
    if (cancelled) return await endWithout(store.db, run, endCancelled);
    options.signal?.throwIfAborted();
    return await keep(store.db, training, run, encodeFusedModel(fused));
  } catch (error) {
    const code = errorCode(error);
    if (!code || options.signal?.aborted) throw error;
    const reason = { code, message: (error as Error).message };
    return await endWithout(store.db, run, (trx) => failTraining(trx, run, reason));
  } finally {
    options.signal?.removeEventListener('abort', interrupted);
    await engine.dispose();
  }
}

/** Of one that fails again and again through no fault of its members. */
export function giveUpTraining(db: Db, id: string, failures: number): Promise<Training> {
  const message = `training ${id}: must not fail on the coordinator's side, got ${failures} failures; its log says why`;
  return inTransaction(db, async (trx) => {
    const { attempt } = await requireTraining(trx, id);
    return endWithout(trx, { id, attempt }, (held, run) => failTraining(held, run, { code: 'F3_INTERNAL', message }));
  });
}

interface Fusing extends Pick<FuseOptions, 'signal' | 'onEpoch'> {
  run: TrainingRun;
  plan: TrainingPlan;
  config: FusionConfig;
  /** Between checkpoints. */
  seconds: number;
}

async function fuseStored(
  engine: Engine,
  db: Db,
  { federation }: Training,
  { run, plan, config, seconds, ...watched }: Fusing,
): Promise<FusedModel> {
  const { learningRates = [config.learningRate] } = plan;
  const input = await readTrainingInput(engine, db, federation, plan);
  const checkpoints = new StoredCheckpoints(db, run, fingerprint(input, config), seconds);
  await checkpoints.preload(learningRates);
  const fused = await fuseOwners(engine, input, config, { learningRates, checkpoints, ...watched });
  await checkpoints.settled();
  return fused;
}

function keep(
  db: Db,
  { id, federation, requestedBy }: Training,
  run: TrainingRun,
  { card, weights }: ReturnType<typeof encodeFusedModel>,
): Promise<Training> {
  return inTransaction(db, async (trx) => {
    // Asked for after the last epoch: who was told that it ends shall find no new model.
    if (await holdTraining(trx, run)) return endWithout(trx, run, endCancelled);
    const { version } = await addModel(trx, { federation, training: id, card: { ...card }, weights });
    await activateModel(trx, federation, version);
    await deleteCheckpoints(trx, id);
    const details = { training: id, model: version, requestedBy };
    await appendAudit(trx, { federation, actor: 'coordinator', action: 'model.trained', details });
    return finishTraining(trx, run, version);
  });
}

/** Nobody will go on from its checkpoints. */
function endWithout(
  db: Db,
  run: TrainingRun,
  end: (trx: Db, run: TrainingRun) => Promise<Training>,
): Promise<Training> {
  return inTransaction(db, async (trx) => {
    const training = await end(trx, run);
    await deleteCheckpoints(trx, run.id);
    return training;
  });
}

/** Training offers its state synchronously; it is written behind its back, the latest winning. */
class StoredCheckpoints implements Checkpoints {
  readonly #db: Db;
  readonly #run: TrainingRun;
  readonly #about: string;
  readonly #milliseconds: number;
  readonly #loaded = new Map<number, TrainingState>();
  #next: number;
  #writing: Promise<void> = Promise.resolve();

  constructor(db: Db, run: TrainingRun, about: string, seconds: number) {
    this.#db = db;
    this.#run = run;
    this.#about = about;
    this.#milliseconds = seconds * 1000;
    this.#next = performance.now() + this.#milliseconds;
  }

  async preload(learningRates: readonly number[]): Promise<void> {
    for (const rate of learningRates) {
      const bytes = await loadCheckpoint(this.#db, this.#run.id, rate);
      if (bytes) this.#loaded.set(rate, decodeCheckpoint(bytes, `checkpoint of ${this.#run.id}`, this.#about));
    }
  }

  load(learningRate: number): TrainingState | undefined {
    return this.#loaded.get(learningRate);
  }

  offer(learningRate: number, state: () => TrainingState): void {
    if (performance.now() >= this.#next) this.save(learningRate, state());
  }

  save(learningRate: number, state: TrainingState): void {
    const bytes = encodeCheckpoint(state, this.#about);
    this.#next = Number.POSITIVE_INFINITY;
    this.#writing = this.#writing
      .then(() => saveCheckpoint(this.#db, this.#run, learningRate, bytes))
      .finally(() => {
        this.#next = performance.now() + this.#milliseconds;
      });
    this.#writing.catch(() => undefined); // seen by `settled`
  }

  settled(): Promise<void> {
    return this.#writing;
  }
}
