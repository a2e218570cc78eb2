// [coordinator] Runs a training as a job: reads bundles and labels from the database, and writes checkpoints and the model
// to it. The computation between runs in a thread of its own.
import { errorCode } from '../../errors.ts';
import { type EncodedModel, parseFusedCard } from '../../fuse/model/fused-card.ts';
import { trainingOfState } from '../../fuse/on-shares/shares-state.ts';
import { appendAudit, COORDINATOR } from '../../storage/audit.ts';
import { readBlob } from '../../storage/blobs.ts';
import { requireBundle } from '../../storage/bundles.ts';
import { deleteCheckpoints, loadCheckpoint } from '../../storage/checkpoints.ts';
import { inTransaction } from '../../storage/database/in-transaction.ts';
import type { Store } from '../../storage/database/open-database.ts';
import { requireLabelSet } from '../../storage/label-sets.ts';
import { isKeyRevoked } from '../../storage/member-keys.ts';
import { isMemberRevoked } from '../../storage/members.ts';
import { activateModel, activeModel, addModel, requireModel } from '../../storage/models.ts';
import type { Db, TrainingRow } from '../../storage/schema.ts';
import { deleteTrainingFits, loadTrainingFits } from '../../storage/training-fits.ts';
import {
  endCancelled,
  failTraining,
  finishTraining,
  holdTraining,
  isCancelRequested,
  requireTraining,
  startTraining,
  type TrainingRun,
} from '../../storage/trainings.ts';
import { forgetWeights } from '../shares/forget-weights.ts';
import { openCharter } from '../shares/share-desk.ts';
import { decideDisclosure } from './decide-disclosure.ts';
import type { Disclosure } from './disclosure.ts';
import {
  DEFAULT_PROMOTION,
  type JudgedChoice,
  type JudgedModel,
  judgeCandidate,
  type PromotionChoice,
} from './judge-candidate.ts';
import type { StoredModel } from './refit-stored-model.ts';
import { requireMemory } from './require-memory.ts';
import type { StoredPoint } from './training-curve.ts';
import { configOf, learningRatesOf, type TrainingPlan } from './training-plan.ts';
import { TrainingRecord } from './training-record.ts';
import { TrainingThread } from './training-thread.ts';

export interface RunOptions {
  threads?: number | undefined;
  signal?: AbortSignal;
  /** Name of the worker, by which people find it. */
  worker?: string | undefined;
  checkpointSeconds?: number | undefined;
  /** Bytes that a training may take; by default it may take any number. */
  memory?: number | undefined;
  /** How long a training that is told to stop may go on with its step before it is cut off. */
  graceMs?: number | undefined;
}

const CHECKPOINT_SECONDS = 3;
/** A step takes milliseconds as a rule. One of a huge model may take minutes, and whoever ends the process does not wait for it. */
const GRACE_MS = 3000;
/** An epoch may take minutes, too, and whoever cancels does not wait for its report: others want the worker. */
const CANCEL_MS = 1000;

/** The choice for a plan that an older version of f3 made, which does not say who asked. */
const UNKNOWN_CHOICE: PromotionChoice = { rule: DEFAULT_PROMOTION, byOperator: false };

/** A failure that the members caused is stored with the training. A failure of the coordinator is thrown. */
export async function runTraining(store: Store, id: string, options: RunOptions = {}): Promise<TrainingRow> {
  const { db } = store;
  const training = await startTraining(db, id, options.worker);
  const run = { id, attempt: training.attempt };
  const plan = training.options as unknown as TrainingPlan;
  const { epochs } = configOf(plan);
  const record = new TrainingRecord(db, run, () => thread.stop(), (training.curve ?? []) as StoredPoint[]);
  const thread = new TrainingThread({
    onParts: (ids) => record.disclose(() => decideDisclosure(db, training, ids)),
    onEpoch: (report, earlier) =>
      record.report('search' in report || 'waiting' in report ? { ...report } : { ...report, epochs }, earlier),
    onFit: (name, bytes) => record.saveFit(name, bytes),
    onCheckpoint: (learningRate, bytes) => record.save(learningRate, bytes),
  });
  let cut: NodeJS.Timeout | undefined;
  const stop = () => {
    thread.stop();
    // The checkpoint before the last is good enough: the training goes on from it to the same bits.
    cut ??= setTimeout(() => void thread.dispose(), options.graceMs ?? GRACE_MS);
  };
  options.signal?.addEventListener('abort', stop, { once: true });
  const look = async () => {
    if (!record.isCancelled && !(await isCancelRequested(db, run))) return;
    record.cancel();
    stop();
  };
  // A database that is away is noticed by whatever is written next.
  const looking = setInterval(() => void look().catch(() => undefined), CANCEL_MS);
  try {
    requireMemory(plan, options.memory);
    await handOver(db, training.federation, plan, thread, options);
    const seconds = options.checkpointSeconds ?? CHECKPOINT_SECONDS;
    const stored = await storedCheckpoints(db, id, plan);
    const fits = await loadTrainingFits(db, id);
    const encoded = await thread.learn({ training: id, seconds, stored, fits });
    await record.settled();
    if (record.isCancelled) return await endWithout(db, training.federation, run, endCancelled);
    options.signal?.throwIfAborted();
    if (!encoded) throw new Error(`training ${id}: must end in a model unless it was stopped, got none`);
    const kept = await keep(db, training, run, encoded, await record.disclosure());
    const { onShares } = encoded.card;
    if (onShares) await forgetWeights(db, training.federation, onShares.training, { model: kept.status !== 'done' });
    return kept;
  } catch (error) {
    const code = errorCode(error);
    await record.settled().catch(() => undefined);
    if (record.isCancelled) return await endWithout(db, training.federation, run, endCancelled);
    if (!code || options.signal?.aborted) throw error;
    const reason = { code, message: (error as Error).message };
    return await endWithout(db, training.federation, run, (trx) => failTraining(trx, run, reason));
  } finally {
    options.signal?.removeEventListener('abort', stop);
    clearInterval(looking);
    clearTimeout(cut);
    await thread.dispose();
  }
}

/** Bundles are read one at a time, so that at most one is in this thread's memory. */
async function handOver(
  db: Db,
  federation: string,
  plan: TrainingPlan,
  thread: TrainingThread,
  { threads, memory, signal }: RunOptions,
): Promise<void> {
  const model = await modelToRefit(db, federation, plan);
  const { blob } = await requireLabelSet(db, federation, plan.labels);
  const open = await openCharter(db, federation);
  const shares = open && { charter: open.charter, keys: open.keys };
  await thread.begin({ plan, labels: await readBlob(db, blob), model, threads, memory, shares });
  for (const { owner, version } of plan.bundles) {
    signal?.throwIfAborted();
    const stored = await requireBundle(db, federation, owner, version);
    await thread.add({ owner, sha256: stored.sha256, bytes: await readBlob(db, stored.blob) });
  }
}

async function modelToRefit(db: Db, federation: string, { refit }: TrainingPlan): Promise<StoredModel | undefined> {
  if (!refit) return undefined;
  const { card, blob } = await requireModel(db, federation, refit.model);
  const name = `model ${refit.model} of ${federation}`;
  const weights = await readBlob(db, blob);
  return { owner: refit.owner, card: parseFusedCard(JSON.stringify(card), name), weights, name };
}

/** Checkpoints of an earlier attempt by learning rate; a refit has none. */
async function storedCheckpoints(db: Db, id: string, plan: TrainingPlan): Promise<Map<number, Uint8Array>> {
  const stored = new Map<number, Uint8Array>();
  for (const rate of learningRatesOf(plan)) {
    const bytes = await loadCheckpoint(db, id, rate);
    if (bytes) stored.set(rate, bytes);
  }
  return stored;
}

/** Ends a training that fails again and again through no fault of its members. */
export function giveUpTraining(db: Db, id: string, failures: number): Promise<TrainingRow> {
  const message = `training ${id}: must not fail on the coordinator's side, got ${failures} failures; its log says why`;
  return inTransaction(db, async (trx) => {
    const { attempt } = await requireTraining(trx, id);
    return end(trx, { id, attempt }, (held, run) => failTraining(held, run, { code: 'F3_INTERNAL', message }));
  });
}

/** Stores the model, decides on its promotion and ends the training, all in one transaction. */
function keep(
  db: Db,
  { id, federation, requestedBy, askedBy, options }: TrainingRow,
  run: TrainingRun,
  { card, weights }: EncodedModel,
  disclosure: Disclosure | undefined,
): Promise<TrainingRow> {
  const { promotion: choice = UNKNOWN_CHOICE } = options as unknown as TrainingPlan;
  return inTransaction(db, async (trx) => {
    // A cancellation may have come after the last epoch. Whoever cancelled must not find a new model.
    if (await holdTraining(trx, run)) return end(trx, run, endCancelled);
    const { version } = await addModel(trx, { federation, training: id, card: { ...card }, weights });
    // `addModel` has locked the federation, so nobody activates another model before this one is judged.
    const active = (await activeModel(trx, federation)) as JudgedModel | undefined;
    const promotion = judgeCandidate(
      { ...choice, shutOut: await shutOut(trx, askedBy, choice) },
      { version, card },
      active,
      disclosure?.parts?.validation ?? null,
    );
    if (promotion.promoted) await activateModel(trx, federation, version);
    await deleteCheckpoints(trx, id);
    await deleteTrainingFits(trx, id);
    const details = { training: id, model: version, requestedBy };
    await appendAudit(trx, { federation, actor: COORDINATOR, action: 'model.trained', details });
    const { promoted, before, rule, reason } = promotion;
    await appendAudit(trx, {
      federation,
      actor: COORDINATOR,
      action: promoted ? 'model.activated' : 'model.candidate',
      details: { version, before, rule, reason },
    });
    return finishTraining(trx, run, version, { ...promotion });
  });
}

/** Whether who asked for a training may still decide what becomes of its model. */
async function shutOut(trx: Db, askedBy: string | null, { keyId }: PromotionChoice): Promise<JudgedChoice['shutOut']> {
  if (askedBy !== null && (await isMemberRevoked(trx, askedBy))) return 'member';
  return keyId !== undefined && (await isKeyRevoked(trx, keyId)) ? 'key' : undefined;
}

/** Ends a training without a model. What entities keep of it goes, too. */
async function endWithout(
  db: Db,
  federation: string,
  run: TrainingRun,
  how: (trx: Db, run: TrainingRun) => Promise<TrainingRow>,
): Promise<TrainingRow> {
  const id = await sharesTraining(db, run.id);
  const training = await end(db, run, how);
  if (id !== undefined) await forgetWeights(db, federation, id, { model: true });
  return training;
}

/** The name among the entities of a training on shares that has a checkpoint. */
async function sharesTraining(db: Db, id: string): Promise<string | undefined> {
  const plan = (await requireTraining(db, id)).options as unknown as TrainingPlan;
  if (!plan.onShares) return undefined;
  const bytes = await loadCheckpoint(db, id, learningRatesOf(plan)[0]);
  return bytes && trainingOfState(bytes);
}

/** Deletes the checkpoints, because nobody will continue from them. */
function end(db: Db, run: TrainingRun, how: (trx: Db, run: TrainingRun) => Promise<TrainingRow>): Promise<TrainingRow> {
  return inTransaction(db, async (trx) => {
    const training = await how(trx, run);
    await deleteCheckpoints(trx, run.id);
    await deleteTrainingFits(trx, run.id);
    return training;
  });
}
