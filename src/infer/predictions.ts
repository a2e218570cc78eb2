// [coordinator] Predictions as a table: sample, class, probabilities, how many owners were present; Arrow or CSV.
import { encodeArrow, floatListColumn, integerColumn, textColumn } from '../base/arrow-table.ts';
import { csvCell } from '../base/csv-cell.ts';
import type { Engine } from '../core/engine/engine.ts';
import type { Joined } from '../fuse/join/bundle-join.ts';
import { type FusedModel, memberProbabilities, predictProbabilities } from '../fuse/model/fused-model.ts';
import { applyMixture, memberSpread } from '../fuse/model/mixture.ts';
import type { PredictionGraphs } from '../fuse/model/predict-logits.ts';
import { predictedClasses } from '../fuse/scores/scores.ts';

/** One sample's answer. */
export interface Prediction {
  sample: string;
  /** The class that the model names: the likeliest, or by its decision rule one that a lower probability is enough for. */
  class: string;
  /** By the name of the class. */
  probabilities: Record<string, number>;
  /** How many owners had something to say. */
  owners: number;
  /** Of an ensemble: standard deviation between its members of the class's probability. */
  uncertainty?: number;
}

/** Predictions as columns: [sample], and [sample, class] for the probabilities. */
export interface PredictionColumns {
  classes: readonly string[];
  samples: readonly string[];
  predicted: Int32Array;
  probabilities: Float64Array;
  present: Int32Array;
  uncertainty?: Float64Array | undefined;
}

/** Answers to many samples, as columns; iterating gives them one by one. */
export class Predictions implements Iterable<Prediction> {
  /** Names of the classes. */
  readonly classes: readonly string[];
  /** Ids of the samples, in the order of the rows. */
  readonly samples: readonly string[];
  /** [sample]: position in `classes` */
  readonly predicted: Int32Array;
  /** [sample, class] */
  readonly probabilities: Float64Array;
  /** [sample]: owners that had something to say */
  readonly present: Int32Array;
  /** [sample], of an ensemble: how far its members are apart about the predicted class */
  readonly uncertainty: Float64Array | undefined;

  constructor({ classes, samples, predicted, probabilities, present, uncertainty }: PredictionColumns) {
    this.uncertainty = uncertainty;
    this.classes = classes;
    this.samples = samples;
    this.predicted = predicted;
    this.probabilities = probabilities;
    this.present = present;
  }

  /** Number of samples. */
  get length(): number {
    return this.samples.length;
  }

  /** The answer to the sample in this row. */
  at(row: number): Prediction {
    const { classes, samples, predicted, probabilities, present } = this;
    const own = classes.map((label, c) => [label, probabilities[row * classes.length + c]] as const);
    return {
      sample: samples[row],
      class: classes[predicted[row]],
      probabilities: Object.fromEntries(own),
      owners: present[row],
      ...(this.uncertainty && { uncertainty: this.uncertainty[row] }),
    };
  }

  *[Symbol.iterator](): Generator<Prediction> {
    for (let row = 0; row < this.length; row++) yield this.at(row);
  }
}

/** Predicts every joined sample. */
export function predictAll(engine: Engine, model: FusedModel, joined: Joined, graphs?: PredictionGraphs): Predictions {
  const { classes } = model.facts;
  const owners = joined.owners.length;
  const rows = Uint32Array.from(joined.samples, (_, row) => row);
  const { probabilities, spread } = predictWithSpread(engine, model, joined, rows, graphs);
  const seen = joined.present.data;
  const present = Int32Array.from(rows, (row) => {
    let count = 0;
    for (let slot = 0; slot < owners; slot++) count += seen[row * owners + slot];
    return count;
  });
  const predicted = predictedClasses(probabilities, classes.length, model.facts.decision);
  const uncertainty = spread?.(predicted);
  return new Predictions({ classes, samples: joined.samples, predicted, probabilities, present, uncertainty });
}

/** The members of an ensemble are asked once, for the answer and for how far they are apart. */
function predictWithSpread(
  engine: Engine,
  model: FusedModel,
  joined: Joined,
  rows: Uint32Array,
  graphs: PredictionGraphs | undefined,
): { probabilities: Float64Array; spread?: (predicted: Int32Array) => Float64Array } {
  if (model.kind !== 'ensemble') return { probabilities: predictProbabilities(engine, model, joined, rows, graphs) };
  const { mixture, facts } = model;
  const classes = facts.classes.length;
  const members = memberProbabilities(engine, model, joined, rows, graphs);
  return {
    probabilities: applyMixture(members, classes, mixture),
    spread: (predicted) => memberSpread(members, predicted, classes, mixture),
  };
}

export const PREDICTIONS_FORMAT = 'f3-predictions';

/** An Arrow file with the columns sample, class, probabilities and owners; of an ensemble also uncertainty. */
export function predictionsToArrow(predictions: Predictions): Uint8Array {
  const { classes, samples, predicted, probabilities, present, uncertainty } = predictions;
  const columns = {
    sample: textColumn(samples),
    class: textColumn(Array.from(predicted, (label) => classes[label])),
    probabilities: floatListColumn(Float32Array.from(probabilities), classes.length),
    owners: integerColumn(present),
    ...(uncertainty && { uncertainty: floatListColumn(Float32Array.from(uncertainty), 1) }),
  };
  const metadata = { 'f3.format': PREDICTIONS_FORMAT, 'f3.version': '1', 'f3.classes': JSON.stringify(classes) };
  return encodeArrow(columns, metadata);
}

/** Header: sample, class, one probability per class, owners; of an ensemble uncertainty too. */
export function predictionsToCsv(predictions: Predictions): string {
  const { classes, samples, predicted, probabilities, present, uncertainty } = predictions;
  const last = uncertainty ? ['owners', 'uncertainty'] : ['owners'];
  const header = ['sample', 'class', ...classes.map((label) => `p(${label})`), ...last].map(csvCell).join(',');
  const lines = samples.map((sample, row) => {
    const own = Array.from(probabilities.subarray(row * classes.length, (row + 1) * classes.length), short);
    const spread = uncertainty ? [short(uncertainty[row])] : [];
    return [csvCell(sample), csvCell(classes[predicted[row]]), ...own, present[row], ...spread].join(',');
  });
  return `${[header, ...lines].join('\n')}\n`;
}

const short = (probability: number): string => String(Number(probability.toPrecision(7)));
