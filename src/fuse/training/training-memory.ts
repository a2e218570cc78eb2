// [coordinator] How much memory a training will take, estimated from its sizes before anything is read.
import { candidateEncodings, type FusionConfig } from '../fusion-config.ts';

/** The sizes of a training. */
export interface TrainingSizes {
  owners: number;
  /** Labelled samples, whether or not an owner saw them. */
  samples: number;
  /** Width of the widest embedding. */
  width: number;
  classes: number;
  /** Bytes of the largest bundle: one at a time is decoded. */
  largestBundle: number;
  /** Samples of the bundle that has most. Plans that an older version of f3 made do not have it. */
  largestRows?: number;
  /** How many learning rates are tried; the best model so far is kept while the next one learns. */
  learningRates: number;
}

/** Code, kernels, an engine with nothing in it, and garbage that waits to be collected. */
const FIXED_BYTES = 192 * 2 ** 20;
/** A sample id as text in the labels, in the join and in the map between them. */
const SAMPLE_BYTES = 400;
/** Embeddings are decoded from the file's bytes, which are there at the same time, with the ids as texts. */
const DECODED_COPIES = 3;
/** A bundle's sample id as text, of all samples that it has: also of those without a label. */
const ROW_BYTES = 60;
/** A parameter has a value, a gradient and two moments; a checkpoint copies them and encodes the copies; the best ones are kept. */
const PARAMETER_BYTES = 64;
/** Results and gradients of a step, several per layer. */
const STEP_COPIES = 6;
/** Logits in float32, probabilities in float64, and what scores sort. */
const PREDICTION_BYTES = 28;
/** Of a boosted tree's output per sample: score, two slopes and the copies that sums are made from. */
const BOOSTING_BYTES = 64;
/** Samples that are predicted at a time. */
const PREDICTED_AT_ONCE = 256;

/** Returns bytes, rather too many than too few: `training-memory.test.ts` compares it with peaks that it measures. */
export function trainingMemory(sizes: TrainingSizes, config: FusionConfig): number {
  const { owners, samples, width, classes, largestBundle, largestRows = 0, learningRates } = sizes;
  // The array grows when an owner with wider embeddings comes, and for that moment exists twice.
  const joined = 2 * 4 * samples * owners * (width + 1);
  const texts = SAMPLE_BYTES * samples + 100 * classes;
  const predicted = PREDICTION_BYTES * samples * classes;
  const read = FIXED_BYTES + joined + texts + DECODED_COPIES * largestBundle + ROW_BYTES * largestRows;
  return (
    read + predicted + (config.method === 'boosting' ? boosting(sizes, config) : network(sizes, config, learningRates))
  );
}

function boosting({ samples, owners, width, classes }: TrainingSizes, { ownerDropout }: FusionConfig): number {
  const outputs = classes === 2 ? 1 : classes;
  // With dropout there is a copy of every sample, and the whole samples' bins are kept beside both.
  const copies = ownerDropout > 0 ? 2 : 1;
  return copies * (10 * samples * owners * width + BOOSTING_BYTES * samples * outputs);
}

function network(sizes: TrainingSizes, config: FusionConfig, learningRates: number): number {
  const { owners, width, classes } = sizes;
  const batch = Math.max(Math.min(config.batch, sizes.samples), PREDICTED_AT_ONCE);
  const kept = PARAMETER_BYTES + (learningRates > 1 ? 8 : 0);
  const perSample =
    owners * (2 * width + STEP_COPIES * layerWidth(sizes, config)) + edges(sizes, config) + STEP_COPIES * classes;
  return kept * parameterCount(sizes, config) + 4 * batch * perSample;
}

/** What one owner's embedding becomes on its way to the mean. */
const layerWidth = ({ width }: TrainingSizes, { method, hidden }: FusionConfig): number =>
  method === 'transformer' ? 8 * (width + 4) : hidden;

/** Numbers per sample that belong to pairs of owners. */
function edges({ owners }: TrainingSizes, { method, graph, graphsPer }: FusionConfig): number {
  if (method === 'transformer') return 2 * 4 * owners * owners;
  if (method !== 'consensus' || graph === 'none') return 0;
  return graphsPer === 'example' ? owners * owners : (4 * owners * owners) / PREDICTED_AT_ONCE;
}

/** How many numbers are learned; of `encoding: auto`, by the larger of its fits. */
export function parameterCount(
  sizes: Pick<TrainingSizes, 'owners' | 'width' | 'classes'>,
  config: FusionConfig,
): number {
  const { owners, width, classes } = sizes;
  const { method, hidden, encoding, bins, tables, alignment, graph, readout } = config;
  if (encoding === 'auto') {
    return Math.max(...candidateEncodings(config).map((each) => parameterCount(sizes, { ...config, encoding: each })));
  }
  if (method === 'concatenation') return owners * width * hidden + hidden * classes;
  if (method === 'transformer') return 9 * (width + 4) ** 2 + (width + 4) * classes;
  const aligned = alignment === 'none' ? 0 : owners * width * width;
  const coded = owners * width * bins * (tables === 'common' ? width : hidden);
  const first = (encoding === 'quantiles' ? coded : aligned) + width * hidden;
  const read = readout === 'layers' ? hidden * hidden + hidden * classes : hidden * classes;
  const pairs = graph === 'none' ? 0 : owners * owners;
  return first + read + pairs + owners * hidden;
}
