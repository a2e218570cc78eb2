// [coordinator] From joined bundles, labels and a split to a fused model with its scores: the whole of Algorithm 1, line 3 on.
import type { Engine } from '../core/engine/engine.ts';
import { quantileEdges } from '../core/quantile-edges.ts';
import { F3Error } from '../errors.ts';
import type { Part } from '../exchange/labels/sample-parts.ts';
import { fuseTrees } from './boosting/fuse-trees.ts';
import { candidateEncodings, canEncode, type FusionConfig, isVoteMethod } from './fusion-config.ts';
import { checkEdgeWeights } from './join/edge-weight.ts';
import type { FusionInput } from './join/fusion-input.ts';
import { validationIdentity } from './join/split-identity.ts';
import { calibrateModel } from './model/calibrate-model.ts';
import { type FusedFacts, type FusedModel, predictProbabilities, type SingleModel } from './model/fused-model.ts';
import type { FusionShape } from './model/fusion-model.ts';
import { type FusionNetwork, makeFusionModel } from './model/make-fusion-model.ts';
import type { PredictionGraphs } from './model/predict-logits.ts';
import { fitVoteRule, ownerProbabilities } from './model/vote-rule.ts';
import { fitDecisionRule } from './scores/decision-rule.ts';
import { type Scores, scores } from './scores/scores.ts';
import { isHopeless } from './search/give-up.ts';
import { type FusionData, type Training, trainFusion } from './training/train-fusion.ts';
import { parameterCount } from './training/training-memory.ts';
import type { EpochReport, TrainingProgress, TrainingState } from './training/training-state.ts';

/** Where training under a learning rate keeps its state, so that an interrupted run can go on. */
export interface Checkpoints {
  load(learningRate: number): TrainingState | undefined;
  /** Called after every step; making the state takes time, so `state` is called when it is wanted. */
  offer(learningRate: number, state: () => TrainingState): void;
  /** Called when training under a learning rate is over or was stopped. */
  save(learningRate: number, state: TrainingState): void;
}

/** How to train, watch and stop a fusion. */
export interface FuseOptions {
  /** Several: each is tried, the one with the lowest validation loss is kept. Default: the config's. */
  learningRates?: readonly number[] | undefined;
  onEpoch?: ((report: EpochReport & { learningRate: number }) => void) | undefined;
  checkpoints?: Checkpoints | undefined;
  /** Asked after every epoch of a network: ends its training where it says so; what was best so far is kept. */
  giveUp?: ((progress: TrainingProgress) => boolean) | undefined;
  signal?: AbortSignal | undefined;
}

/** Learns a model from joined bundles, labels and a split, and scores it. */
export async function fuseOwners(
  engine: Engine,
  input: FusionInput,
  config: FusionConfig,
  options: FuseOptions = {},
): Promise<SingleModel> {
  const start = performance.now();
  checkConfig(config, input);
  const model = await fuseByMethod(engine, input, config, options);
  const seconds = (performance.now() - start) / 1000;
  const facts = { ...model.facts, seconds };
  const fused = { ...model, facts };
  if (options.signal?.aborted) return fused; // nobody waits for the scores of a model that was not finished
  const calibrated = calibrateModel(engine, fused, input);
  judgeModel(engine, calibrated, input);
  return calibrated;
}

/** What the making of any model ends with: the validation part settles how its answers name a class, then it is scored. */
export function judgeModel(engine: Engine, model: FusedModel, input: FusionInput): void {
  const { facts } = model;
  delete facts.decision;
  if (facts.config.decision === 'f1' && model.kind !== 'voting') {
    const probabilities = predictProbabilities(engine, model, input.joined, input.split.validation);
    const decision = fitDecisionRule(probabilities, facts.classes.length);
    if (decision) facts.decision = decision;
  }
  facts.validation = scoresOf(engine, model, input, 'validation');
  facts.test = scoresOf(engine, model, input, 'test');
}

async function fuseByMethod(
  engine: Engine,
  input: FusionInput,
  config: FusionConfig,
  options: FuseOptions,
): Promise<SingleModel> {
  if (isVoteMethod(config.method)) return fuseVotes(input, { ...config, method: config.method });
  if (config.method === 'boosting') return fuseBoosting(engine, input, config, options);
  return fuseEmbeddings(engine, input, config, options);
}

/** Baseline A has no common prediction: its scores are the mean over owners. */
export function scoresOf(
  engine: Engine,
  model: FusedModel,
  input: FusionInput,
  part: Part,
  graphs?: PredictionGraphs,
): Scores {
  const { joined, labels, split } = input;
  const rows = split[part];
  const classes = labels.classes.length;
  const truth = (of: Uint32Array) => Int32Array.from(of, (row) => labels.labels[row]);
  if (model.facts.config.method !== 'average') {
    const probabilities = predictProbabilities(engine, model, joined, rows, graphs);
    return scores(probabilities, truth(rows), classes, model.facts.decision);
  }
  const each = joined.owners.flatMap((_, slot) => {
    const own = ownerProbabilities(joined, rows, slot);
    return own.rows.length > 0 ? [scores(own.probabilities, truth(own.rows), classes)] : [];
  });
  const mean = (key: keyof Scores) => each.reduce((sum, score) => sum + score[key], 0) / each.length;
  const [accuracy, f1, auc] = [mean('accuracy'), mean('f1'), mean('auc')];
  return { accuracy, f1, auc, prAuc: mean('prAuc'), loss: mean('loss') };
}

export function shapeOf({ joined, labels, split, adjacency }: FusionInput, config: FusionConfig): FusionShape {
  const { owners, width, embeddings, present } = joined;
  const shape: FusionShape = { owners: owners.length, width, classes: labels.classes.length };
  // As it will be kept, so that a model that was loaded has the very edges it learned with.
  if (adjacency) shape.adjacency = Float32Array.from(adjacency);
  if (config.encoding === 'quantiles') {
    const source = { embeddings: embeddings.data, present: present.data, owners: owners.length, width };
    shape.binEdges = quantileEdges(source, split.train, config.bins);
  }
  return shape;
}

export function trainingData({ joined, labels, split }: FusionInput): FusionData {
  const { owners, embeddings, present, isComplete } = joined;
  return { embeddings, labels: labels.labels, split, owners, ...(!isComplete && { present }) };
}

async function fuseEmbeddings(
  engine: Engine,
  input: FusionInput,
  config: FusionConfig,
  { learningRates = [config.learningRate], onEpoch, checkpoints, giveUp, signal }: FuseOptions,
): Promise<SingleModel> {
  const tried: { encoding: FusionConfig['encoding']; rate: number; validationLoss: number }[] = [];
  let best: { network: FusionNetwork; training: Training } | undefined;
  const encodings = encodingsThatFit(input, config);
  const [first] = encodings;
  const fits = encodings.flatMap((encoding) => learningRates.map((rate) => ({ encoding, rate })));
  for (const { encoding, rate: learningRate } of fits) {
    const settled = { ...config, encoding, learningRate };
    const network = makeFusionModel(engine, settled, shapeOf(input, settled));
    // Fits of the first encoding are kept on the way; those of another start anew, which ends with the same bits.
    const kept = encoding === first ? checkpoints : undefined;
    const bar = encoding === first ? undefined : best?.training.validationLoss;
    const training = await trainFusion(engine, network, trainingData(input), {
      signal,
      // A fit of the second encoding that falls behind the first is given up, as a search does.
      giveUp: (progress) => (giveUp?.(progress) ?? false) || (bar !== undefined && isHopeless(progress, bar)),
      resume: kept?.load(learningRate),
      ...(kept && {
        onStep: (state) => kept.offer(learningRate, state),
        onEnd: (state) => kept.save(learningRate, state),
      }),
      ...(onEpoch && { onEpoch: (report) => onEpoch({ ...report, learningRate }) }),
    });
    tried.push({ encoding, rate: learningRate, validationLoss: training.validationLoss });
    if (best && best.training.validationLoss <= training.validationLoss) network.dispose();
    else {
      best?.network.dispose();
      best = { network, training };
    }
  }
  if (!best) throw new Error('learning rates: must be at least one');
  const { network, training } = best;
  const facts: FusedFacts = { ...factsOf(input, network.config), ...training };
  const { encoding } = network.config;
  if (learningRates.length > 1) {
    facts.learningRates = tried
      .filter((fit) => fit.encoding === encoding)
      .map(({ rate, validationLoss }) => ({ rate, validationLoss }));
  }
  if (fits.length > learningRates.length) {
    facts.encodings = encodings.map((each) => ({
      encoding: each,
      validationLoss: Math.min(...tried.filter((fit) => fit.encoding === each).map((fit) => fit.validationLoss)),
    }));
  }
  return { kind: 'learned', network, facts };
}

/** All tensors of a training lie in one memory. */
const ENGINE_BYTES = 4 * 2 ** 30;
/** Bytes of a weight: its value, its gradient and what the optimiser remembers, one moment at least. */
const LEAST_WEIGHT_BYTES = 4 * 3;

/** Wide embeddings are told before anything is drawn. Codes that are tried on approval are left out where only they do not fit. */
function encodingsThatFit({ joined, labels }: FusionInput, config: FusionConfig) {
  const encodings = candidateEncodings(config);
  if (config.method !== 'consensus') return encodings;
  const { owners, width } = joined;
  const sizes = { owners: owners.length, width, classes: labels.classes.length };
  const sizeOf = (encoding: FusionConfig['encoding']) => parameterCount(sizes, { ...config, encoding, graph: 'none' });
  const bytes = encodings.map((encoding) => LEAST_WEIGHT_BYTES * sizeOf(encoding));
  const fitting = encodings.filter((_, i) => bytes[i] <= ENGINE_BYTES);
  if (fitting.length > 0) return fitting;
  const widest = owners.find((owner) => owner.width === width)?.owner;
  const least = `${(Math.min(...bytes) / 2 ** 30).toFixed(1)} GiB`;
  const found = `${least} for ${owners.length} owners whose embeddings have up to ${width} numbers (${widest})`;
  throw new F3Error('F3_OUT_OF_MEMORY', `training: weights must fit into 4 GiB of memory, got ${found}`);
}

async function fuseBoosting(
  engine: Engine,
  input: FusionInput,
  config: FusionConfig,
  options: FuseOptions,
): Promise<SingleModel> {
  const runs = await fuseTrees(engine, input, config, options);
  const { trees, learningRate, ...training } = runs.reduce((best, run) =>
    run.validationLoss < best.validationLoss ? run : best,
  );
  const facts: FusedFacts = { ...factsOf(input, { ...config, learningRate }), ...training };
  if (runs.length > 1)
    facts.learningRates = runs.map((run) => ({ rate: run.learningRate, validationLoss: run.validationLoss }));
  return { kind: 'boosted', trees, facts };
}

function fuseVotes(
  input: FusionInput,
  config: FusionConfig & { method: Parameters<typeof fitVoteRule>[0] },
): SingleModel {
  const rows = input.split.validation;
  const labels = Int32Array.from(rows, (row) => input.labels.labels[row]);
  const rule = fitVoteRule(config.method, input.joined, { rows, labels });
  return { kind: 'voting', rule, facts: factsOf(input, config) };
}

const NO_SCORES: Scores = {
  accuracy: Number.NaN,
  f1: Number.NaN,
  auc: Number.NaN,
  prAuc: Number.NaN,
  loss: Number.NaN,
};

export function factsOf(input: FusionInput, config: FusionConfig): FusedModel['facts'] {
  const { joined, labels, split, splitIdentity } = input;
  const { train, validation, test } = split;
  return {
    config,
    classes: labels.classes,
    owners: joined.owners,
    samples: { train: train.length, validation: validation.length, test: test.length },
    ...(splitIdentity && { split: splitIdentity }),
    validatedOn: validationIdentity(labels, split),
    epochs: 0,
    bestEpoch: 0,
    seconds: 0,
    history: [],
    validation: NO_SCORES,
    test: NO_SCORES,
  };
}

/** What a config asks of the data. */
function checkConfig(config: FusionConfig, { joined, labels, adjacency }: FusionInput): void {
  const { method, encoding, alignment, graph, neighbours } = config;
  const count = joined.owners.length;
  const fail = (code: 'F3_FUSE_WIDTH' | 'F3_FUSE_GRAPH' | 'F3_FUSE_CLASSES', message: string): never => {
    throw new F3Error(code, message);
  };
  if (isVoteMethod(method)) {
    const votes = joined.votes?.classes ?? labels.classes.length;
    if (votes === labels.classes.length) return;
    fail('F3_FUSE_CLASSES', `votes: must be over the labels' ${labels.classes.length} classes, got ${votes}`);
  }
  const odd = joined.owners.find(({ width }) => width !== joined.owners[0].width);
  const needsOneWidth = method === 'transformer' || (method === 'consensus' && alignment !== 'soft');
  if (odd && needsOneWidth) {
    const { owner, width } = joined.owners[0];
    const found = `${width} from ${owner}, ${odd.width} from ${odd.owner}`;
    fail('F3_FUSE_WIDTH', `owners: widths must be equal unless alignment is soft, got ${found}`);
  }
  if (method !== 'consensus') return;
  if (encoding === 'quantiles' && !canEncode(config)) {
    const found = alignment === 'soft' ? `graph ${graph}` : `alignment ${alignment}`;
    throw new F3Error(
      'F3_ARGUMENT',
      `encoding: quantiles need soft alignment and a graph other than knn, got ${found}`,
    );
  }
  if (graph === 'knn' && neighbours >= count) {
    const message = `neighbours: must be below the number of owners ${count}, got ${neighbours}`;
    throw new F3Error('F3_FUSE_GRAPH', message, { remedy: 'neighbours' });
  }
  if (graph !== 'given') return;
  if (adjacency?.length !== count * count) {
    const found = adjacency?.length ?? 'none';
    throw new F3Error('F3_FUSE_GRAPH', `graph: must be ${count} × ${count} numbers (owners), got ${found}`);
  }
  checkEdgeWeights(adjacency, count, 'graph');
}
