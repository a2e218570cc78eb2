// [coordinator] A training as a job: bundles and labels from the database, checkpoints and the model back into it.
import { Engine } from '../core/engine.ts';
import { errorCode, F3Error } from '../errors.ts';
import { decodeBundle } from '../exchange/bundle.ts';
import { decodeLabels } from '../exchange/labels.ts';
import { BundleJoin } from '../fuse/bundle-join.ts';
import { fingerprint } from '../fuse/checkpoint-folder.ts';
import { type Checkpoints, type FusionInput, fuseOwners } from '../fuse/fuse-owners.ts';
import { encodeFusedModel } from '../fuse/fused-card.ts';
import { type FusionConfig, paperPreset } from '../fuse/fusion-config.ts';
import { placeSplit, type SplitIds } from '../fuse/place-split.ts';
import { decodeCheckpoint, encodeCheckpoint, type TrainingState } from '../fuse/training-state.ts';
import { randomSplit } from '../sample-parts.ts';
import { appendAudit } from '../storage/audit.ts';
import { readBlob } from '../storage/blobs.ts';
import { requireBundle } from '../storage/bundles.ts';
import { deleteCheckpoints, loadCheckpoint, saveCheckpoint } from '../storage/checkpoints.ts';
import { inTransaction } from '../storage/in-transaction.ts';
import { requireLabelSet } from '../storage/label-sets.ts';
import { activateModel, addModel } from '../storage/models.ts';
import type { Store } from '../storage/open-database.ts';
import type { Db, Training } from '../storage/schema.ts';
import { endCancelled, failTraining, finishTraining, reportProgress, startTraining } from '../storage/trainings.ts';

/** What a training was asked to do, fixed when it was asked: later bundles do not change it. */
export interface TrainingPlan {
  config: Partial<FusionConfig>;
  learningRates?: number[];
  split: number | SplitIds;
  classes?: string[];
  adjacency?: { owners: string[]; weights: number[][] };
  bundles: { owner: string; version: number }[];
  labels: number;
}

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
    const learningRates = plan.learningRates ?? [config.learningRate];
    const input = await readInput(engine, store.db, training.federation, plan);
    const about = fingerprint(input, config);
    const checkpoints = new StoredCheckpoints(store.db, run, about, options.checkpointSeconds ?? CHECKPOINT_SECONDS);
    await checkpoints.preload(learningRates);
    let cancelled = false;
    let reported = Promise.resolve();
    const fused = await fuseOwners(engine, input, config, {
      ...{ learningRates, checkpoints, signal: stop.signal },
      onEpoch: (report) => {
        reported = reported.then(async () => {
          if (!(await reportProgress(store.db, run, { ...report, epochs: config.epochs }))) return;
          cancelled = true;
          stop.abort();
        });
        reported.catch(interrupted);
      },
    });
    await reported;
    await checkpoints.settled();
    if (cancelled) return await endCancelled(store.db, run);
    options.signal?.throwIfAborted();
    return await keep(store.db, training, run, encodeFusedModel(fused));
  } catch (error) {
    const code = errorCode(error);
    if (!code || options.signal?.aborted) throw error;
    return await failTraining(store.db, run, { code, message: (error as Error).message });
  } finally {
    options.signal?.removeEventListener('abort', interrupted);
    await engine.dispose();
  }
}

function keep(
  db: Db,
  { id, federation, requestedBy }: Training,
  run: { id: string; attempt: number },
  { card, weights }: ReturnType<typeof encodeFusedModel>,
): Promise<Training> {
  return inTransaction(db, async (trx) => {
    const { version } = await addModel(trx, { federation, training: id, card: { ...card }, weights });
    await activateModel(trx, federation, version);
    await deleteCheckpoints(trx, id);
    const details = { training: id, model: version, requestedBy };
    await appendAudit(trx, { federation, actor: 'coordinator', action: 'model.trained', details });
    return finishTraining(trx, run, version);
  });
}

async function readInput(engine: Engine, db: Db, federation: string, plan: TrainingPlan): Promise<FusionInput> {
  const stored = await requireLabelSet(db, federation, plan.labels);
  const labels = decodeLabels(await readBlob(db, stored.blob), `labels version ${plan.labels}`, plan.classes);
  const join = new BundleJoin(engine, { samples: labels.samples, expected: plan.bundles.length });
  for (const { owner, version } of plan.bundles) {
    const { blob, sha256 } = await requireBundle(db, federation, owner, version);
    const bundle = decodeBundle(await readBlob(db, blob), `bundle ${owner}`);
    if (join.add(bundle, sha256).joined === 0) {
      throw new F3Error('F3_FUSE_OVERLAP', `bundle ${owner}: must have samples in common with the labels, got none`);
    }
  }
  const joined = join.finish();
  const ids = typeof plan.split === 'number' ? randomSplit(labels.samples, plan.split) : plan.split;
  const { rows } = placeSplit(ids, joined, labels);
  const adjacency =
    plan.adjacency &&
    adjacencyFor(
      plan.adjacency,
      joined.owners.map(({ owner }) => owner),
    );
  return { joined, labels, split: rows, ...(adjacency && { adjacency }) };
}

function adjacencyFor(
  { owners, weights }: NonNullable<TrainingPlan['adjacency']>,
  order: readonly string[],
): Float64Array {
  const place = (owner: string) => owners.indexOf(owner);
  const missing = order.find((owner) => place(owner) < 0);
  if (missing !== undefined) {
    throw new F3Error('F3_FUSE_GRAPH', `adjacency: must have every owner, got none named ${missing}`);
  }
  return Float64Array.from(order.flatMap((from) => order.map((to) => weights[place(from)]?.[place(to)] ?? 0)));
}

/** Training offers its state synchronously; it is written behind its back, the latest winning. */
class StoredCheckpoints implements Checkpoints {
  readonly #db: Db;
  readonly #run: { id: string; attempt: number };
  readonly #about: string;
  readonly #milliseconds: number;
  readonly #loaded = new Map<number, TrainingState>();
  #next: number;
  #writing: Promise<void> = Promise.resolve();

  constructor(db: Db, run: { id: string; attempt: number }, about: string, seconds: number) {
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
