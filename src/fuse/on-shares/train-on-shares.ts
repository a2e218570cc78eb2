// [coordinator] Trains a fused model on shares: batches, graphs, loss and early stopping are those of trainFusion; weights stay with the entities for ever.
import { randomBytes } from 'node:crypto';
import type { Engine } from '../../core/engine/engine.ts';
import { softmaxRows } from '../../core/softmax-rows.ts';
import { F3Error } from '../../errors.ts';
import { CoordinatorDesk } from '../../shares/coordinator-desk.ts';
import { toFixedPoint } from '../../shares/fixed-point.ts';
import { EDGE_GRADIENT_BITS } from '../../shares/shared-backward.ts';
import { LOGIT_BITS } from '../../shares/shared-forward.ts';
import { bitPlan, type SharedShape } from '../../shares/shared-shape.ts';
import { type FusionConfig, SGD_MOMENTUM } from '../fusion-config.ts';
import type { FusionShape } from '../model/fusion-model.ts';
import { GlobalModel } from '../model/global-model.ts';
import { meanCrossEntropy } from '../model/predict-logits.ts';
import { rateFactor } from '../training/rate-schedule.ts';
import type { Training } from '../training/train-fusion.ts';
import { dropoutStream, epochOrder, keptOwners } from '../training/training-draws.ts';
import type { EpochReport } from '../training/training-state.ts';
import { EdgeLearner } from './edge-learner.ts';
import type { EntityLink } from './entity-link.ts';
import { BATCH, openedOr, predictFromShares } from './predict-on-shares.ts';
import { sharedShapeOf } from './shared-shape-of.ts';
import type { SharesTrainingState } from './shares-state.ts';

/** What the coordinator knows of the data: everything but the embeddings. */
export interface SharesData {
  /** [sample] */
  labels: Int32Array;
  /** Sample numbers of each part. */
  split: { train: Uint32Array; validation: Uint32Array; test: Uint32Array };
  /** [sample, owner], 1 where the owner saw the sample; without it every owner saw every sample. */
  present?: ArrayLike<number> | undefined;
}

/** How to watch, stop and continue a training on shares. */
export interface SharesTrainingOptions {
  onEpoch?: ((report: EpochReport) => void) | undefined;
  /** Called after every step with its loss. */
  onStep?: ((step: number, loss: number) => void) | undefined;
  /** Steps between checkpoints. Default: none are taken. */
  checkpointEvery?: number | undefined;
  /** Instead: whether a checkpoint is due after this step. */
  isCheckpointDue?: ((step: number) => boolean) | undefined;
  /** Called when all entities have kept their part of a checkpoint; what is resumed is what was kept last. */
  onCheckpoint?: ((state: SharesTrainingState) => void | Promise<void>) | undefined;
  resume?: SharesTrainingState | undefined;
  /** Ends training at the next step; what was best so far is kept. */
  signal?: AbortSignal | undefined;
}

/** A model whose weights the entities hold. */
export interface SharesTraining extends Training {
  /** Names the training among the entities, which keep their shares of the model under `modelName(id)`. */
  id: string;
  shape: SharedShape;
  /** Steps that were trained. */
  steps: number;
  /** θ of the best epoch; none without a learned graph. */
  theta?: Float32Array | undefined;
}

/** The name under which entities keep their shares of a finished model. */
export const modelName = (id: string): string => `model ${id}`;
/** Entities keep two in turn: the newer one may be unfinished, or unknown to the coordinator, when something is killed. */
const checkpointName = (id: string, slot: number): string => `checkpoint ${id} ${slot}`;
/** What entities may forget when a training is over. */
export const checkpointNames = (id: string): string[] => [0, 1].map((slot) => checkpointName(id, slot));

/** Trains, and leaves the entities with the weights of the best epoch. */
export async function trainOnShares(
  engine: Engine,
  link: EntityLink,
  config: FusionConfig,
  fusionShape: FusionShape,
  data: SharesData,
  options: SharesTrainingOptions = {},
): Promise<SharesTraining> {
  const shape = sharedShapeOf(config, fusionShape);
  const { resume, signal } = options;
  const start = firstValues(engine, config, fusionShape);
  const edges = start.theta && new EdgeLearner(engine, config, shape.owners, start.theta);
  const state: SharesTrainingState = resume
    ? { ...resume }
    : {
        id: randomBytes(16).toString('hex'),
        secret: randomBytes(32),
        epoch: 1,
        batch: 0,
        step: 0,
        slot: 0,
        lossSum: 0,
        best: { epoch: 0, loss: Number.POSITIVE_INFINITY },
        history: [],
      };
  const training = new TrainingOnShares(link, config, shape, fusionShape, data, edges, state);
  try {
    await training.open(start.weights, resume !== undefined);
    const { checkpointEvery } = options;
    const isDue =
      options.isCheckpointDue ?? (checkpointEvery ? (step: number) => step % checkpointEvery === 0 : () => false);
    // From the first step on there is something to go on from, under the same name and masks.
    if (!resume && (checkpointEvery || options.isCheckpointDue)) await training.checkpoint(options);
    const isOver = () => state.epoch > config.epochs || state.epoch - 1 - state.best.epoch >= config.patience;
    while (!isOver() && !signal?.aborted) {
      const order = epochOrder(data.split.train, config.seed, state.epoch);
      while (state.batch * config.batch < order.length && !signal?.aborted) {
        const rows = order.slice(state.batch * config.batch, (state.batch + 1) * config.batch);
        const loss = await training.step(rows);
        state.lossSum += rows.length * loss;
        state.batch++;
        state.step++;
        options.onStep?.(state.step, loss);
        if (isDue(state.step)) await training.checkpoint(options);
      }
      if (signal?.aborted) break;
      const validationLoss = await training.validate();
      const report = { epoch: state.epoch, trainLoss: state.lossSum / order.length, validationLoss };
      if (!Number.isFinite(validationLoss)) throw diverged(report, config.learningRate);
      state.history = [...state.history, report];
      state.epoch++;
      Object.assign(state, { batch: 0, lossSum: 0 });
      options.onEpoch?.({ ...report, bestEpoch: state.best.epoch });
    }
    await training.finish(signal?.aborted ? options : {});
    const { id, best, history, step: steps } = state;
    return {
      id,
      shape,
      steps,
      epochs: history.length,
      bestEpoch: best.epoch,
      validationLoss: best.loss,
      history,
      theta: edges?.theta,
    };
  } finally {
    edges?.dispose();
  }
}

/** The values that the clear model of this config starts from, θ apart. */
function firstValues(engine: Engine, config: FusionConfig, shape: FusionShape) {
  const isCoded = config.encoding === 'quantiles';
  const bins = isCoded ? { binEdges: new Float32Array(shape.owners * shape.width * (config.bins + 1)) } : {};
  const model = new GlobalModel(engine, config, { ...shape, ...bins });
  const { theta, ...weights } = Object.fromEntries(
    Object.entries(model.parameters).map(([name, { data }]) => [name, data.slice()]),
  );
  model.dispose();
  return { theta, weights };
}

function diverged({ epoch, validationLoss }: EpochReport, learningRate: number): F3Error {
  const rule = `the validation loss must stay finite, got ${validationLoss} in epoch ${epoch}`;
  return new F3Error('F3_FUSE_DIVERGED', `training on shares: ${rule}; try a learning rate below ${learningRate}`);
}

/** One training, as the coordinator conducts it. */
class TrainingOnShares {
  readonly #link: EntityLink;
  readonly #config: FusionConfig;
  readonly #shape: SharedShape;
  readonly #data: SharesData;
  readonly #edges: EdgeLearner | undefined;
  readonly #state: SharesTrainingState;
  readonly #session: string;
  #desk!: CoordinatorDesk;
  readonly #given: Float32Array | undefined;
  /** 2^loss, with which gradients travel. */
  readonly #lossFactor: number;

  constructor(
    link: EntityLink,
    config: FusionConfig,
    shape: SharedShape,
    { adjacency }: FusionShape,
    data: SharesData,
    edges: EdgeLearner | undefined,
    state: SharesTrainingState,
  ) {
    this.#link = link;
    this.#config = config;
    this.#shape = shape;
    this.#data = data;
    this.#edges = edges;
    this.#state = state;
    this.#session = `training ${state.id}`;
    this.#given = config.graph === 'given' ? givenEdges(shape.owners, adjacency) : undefined;
    this.#lossFactor = 2 ** bitPlan(link.scheme).loss;
  }

  /** An entity that was away at the checkpoint has no part in what follows. */
  async open(weights: Readonly<Record<string, Float32Array>>, isResumed: boolean): Promise<void> {
    const { field, scheme, transport, ledger, calls } = this.#link;
    const { id, step, slot, edges, secret } = this.#state;
    const about = this.#session;
    await calls.call({ kind: 'open', about, shape: this.#shape, momentum: SGD_MOMENTUM }, weights);
    if (isResumed) {
      const load = { kind: 'load' as const, name: checkpointName(id, slot), about, steps: step };
      await calls.callHolders(load, 2 * scheme.threshold + 1);
      if (edges) this.#edges?.restore(edges);
    }
    const active = calls.entities;
    this.#desk = new CoordinatorDesk({ field, scheme, transport, ledger, session: this.#session, secret, active });
  }

  /** One step over these samples → its mean cross-entropy. */
  async step(rows: Uint32Array): Promise<number> {
    const { field, calls } = this.#link;
    const { step } = this.#state;
    const { owners: n, classes } = this.#shape;
    const { ownerDropout, seed } = this.#config;
    const seen = presentOf(this.#data.present, rows, n);
    const kept = ownerDropout > 0 ? keptOwners(rows.length * n, seen, ownerDropout, seed, dropoutStream(step)) : seen;
    // What the owners that are left say counts for all, as in the clear.
    const factor = ownerDropout > 0 ? 1 / (1 - ownerDropout) : 1;
    const adjacency = this.#edges?.sample(step) ?? this.#given;
    const arrays = { rows, ...(kept && { present: Uint8Array.from(kept) }), ...(adjacency && { adjacency }) };
    const rate = this.#rate(step);
    // Velocities have the rate in them, so that momentum carries over how it changed.
    const momentum = step === 0 ? SGD_MOMENTUM : (SGD_MOMENTUM * rate) / this.#rate(step - 1);
    const active = [...calls.entities];
    const done = calls.call({ kind: 'step', session: this.#session, step, active, momentum }, arrays);
    const opened = await openedOr(done, this.#desk.collect(step, 'logits', rows.length * classes, LOGIT_BITS.opened));
    const logits = Float32Array.from(opened, (value) => value * factor);
    const labels = Int32Array.from(rows, (row) => this.#data.labels[row]);
    const gradients = softmaxRows(logits, classes);
    for (const [b, label] of labels.entries()) gradients[b * classes + label] -= 1;
    // η·2^loss: what entities have in their gradients.
    const carried = rate * this.#lossFactor;
    const scale = (carried * factor) / rows.length;
    const shared = toFixedPoint(
      gradients.map((value) => value * scale),
      'gradients of the logits',
    );
    this.#desk.share(step, 'logit gradients', shared);
    if (this.#edges) {
      const edges = this.#desk.collect(step, 'edge gradients', (n * (n - 1)) / 2, EDGE_GRADIENT_BITS.opened);
      const found = await openedOr(done, edges);
      this.#edges.learn(found.map((value) => value / carried));
    }
    await done;
    field.reset();
    return meanCrossEntropy(logits, labels);
  }

  #rate(step: number): number {
    const { batch, learningRate } = this.#config;
    return learningRate * rateFactor(this.#config, step, Math.ceil(this.#data.split.train.length / batch));
  }

  /** The validation loss of the weights as they are; the best so far are kept. */
  async validate(): Promise<number> {
    const { validation } = this.#data.split;
    const { epoch } = this.#state;
    const graphs = this.#edges?.predictionGraphs() ?? (this.#given ? [this.#given] : []);
    const logits = await predictFromShares(this.#link, {
      shape: this.#shape,
      graphs,
      rows: validation,
      present: this.#data.present,
      masks: { session: `${this.#session} validation`, firstStep: epoch * Math.ceil(validation.length / BATCH) },
    });
    const loss = meanCrossEntropy(
      logits,
      Int32Array.from(validation, (row) => this.#data.labels[row]),
    );
    if (loss < this.#state.best.loss) {
      this.#state.best = { epoch, loss };
      this.#edges?.keepBest();
      await this.#link.calls.call({ kind: 'keep best' });
    }
    return loss;
  }

  /** The entities keep theirs first: what the coordinator resumes from, they have. */
  async checkpoint({ onCheckpoint }: SharesTrainingOptions): Promise<void> {
    const slot = 1 - this.#state.slot;
    await this.#link.calls.call({ kind: 'save', name: checkpointName(this.#state.id, slot) });
    this.#state.slot = slot;
    await onCheckpoint?.({ ...this.#state, edges: this.#edges?.state() });
  }

  /** `options` with a checkpoint: training was stopped and may go on. */
  async finish(options: SharesTrainingOptions): Promise<void> {
    const { calls } = this.#link;
    const { id } = this.#state;
    if (options.onCheckpoint) await this.checkpoint(options);
    await calls.call({ kind: 'use best' });
    this.#edges?.useBest();
    await calls.call({ kind: 'save', name: modelName(id) });
  }
}

function presentOf(present: ArrayLike<number> | undefined, rows: Uint32Array, n: number): Float32Array | undefined {
  if (!present) return undefined;
  return Float32Array.from({ length: rows.length * n }, (_, at) => present[rows[Math.floor(at / n)] * n + (at % n)]);
}

/** 1 where owners have an edge, nothing on the diagonal. */
export function givenEdges(n: number, adjacency: ArrayLike<number> | undefined): Float32Array {
  if (!adjacency) throw new Error('given graph: the shape must carry an adjacency');
  return Float32Array.from({ length: n * n }, (_, at) => (at % (n + 1) !== 0 && adjacency[at] > 0 ? 1 : 0));
}
