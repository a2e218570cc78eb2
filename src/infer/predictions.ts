// [coordinator] Predictions as a table: sample, class, probabilities, how many owners were present; Arrow or CSV.
import { encodeArrow, floatListColumn, integerColumn, textColumn } from '../base/arrow-table.ts';
import { csvCell } from '../base/csv-cell.ts';
import type { Engine } from '../core/engine/engine.ts';
import type { Joined } from '../fuse/join/bundle-join.ts';
import { type FusedModel, predictProbabilities } from '../fuse/model/fused-model.ts';
import type { PredictionGraphs } from '../fuse/model/predict-logits.ts';
import { predictedClasses } from '../fuse/scores/scores.ts';

/** One sample's answer. */
export interface Prediction {
  sample: string;
  /** Name of the likeliest class. */
  class: string;
  /** By the name of the class. */
  probabilities: Record<string, number>;
  /** How many owners had something to say. */
  owners: number;
}

export interface PredictionColumns {
  classes: readonly string[];
  samples: readonly string[];
  predicted: Int32Array;
  probabilities: Float64Array;
  present: Int32Array;
}

/** Answers to many samples, as columns; iterating gives them one by one. */
export class Predictions implements Iterable<Prediction> {
  /** Names of the classes. */
  readonly classes: readonly string[];
  readonly samples: readonly string[];
  /** [sample]: position in `classes` */
  readonly predicted: Int32Array;
  /** [sample, class] */
  readonly probabilities: Float64Array;
  /** [sample]: owners that had something to say */
  readonly present: Int32Array;

  constructor({ classes, samples, predicted, probabilities, present }: PredictionColumns) {
    this.classes = classes;
    this.samples = samples;
    this.predicted = predicted;
    this.probabilities = probabilities;
    this.present = present;
  }

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
    };
  }

  *[Symbol.iterator](): Generator<Prediction> {
    for (let row = 0; row < this.length; row++) yield this.at(row);
  }
}

export function predictAll(engine: Engine, model: FusedModel, joined: Joined, graphs?: PredictionGraphs): Predictions {
  const { classes } = model.facts;
  const owners = joined.owners.length;
  const rows = Uint32Array.from(joined.samples, (_, row) => row);
  const probabilities = predictProbabilities(engine, model, joined, rows, graphs);
  const seen = joined.present.data;
  const present = Int32Array.from(rows, (row) => {
    let count = 0;
    for (let slot = 0; slot < owners; slot++) count += seen[row * owners + slot];
    return count;
  });
  const predicted = predictedClasses(probabilities, classes.length);
  return new Predictions({ classes, samples: joined.samples, predicted, probabilities, present });
}

export const PREDICTIONS_FORMAT = 'f3-predictions';

export function predictionsToArrow({ classes, samples, predicted, probabilities, present }: Predictions): Uint8Array {
  const columns = {
    sample: textColumn(samples),
    class: textColumn(Array.from(predicted, (label) => classes[label])),
    probabilities: floatListColumn(Float32Array.from(probabilities), classes.length),
    owners: integerColumn(present),
  };
  const metadata = { 'f3.format': PREDICTIONS_FORMAT, 'f3.version': '1', 'f3.classes': JSON.stringify(classes) };
  return encodeArrow(columns, metadata);
}

/** Header: sample, class, one probability per class, owners. */
export function predictionsToCsv({ classes, samples, predicted, probabilities, present }: Predictions): string {
  const header = ['sample', 'class', ...classes.map((label) => `p(${label})`), 'owners'].map(csvCell).join(',');
  const lines = samples.map((sample, row) => {
    const own = Array.from(probabilities.subarray(row * classes.length, (row + 1) * classes.length), short);
    return [csvCell(sample), csvCell(classes[predicted[row]]), ...own, present[row]].join(',');
  });
  return `${[header, ...lines].join('\n')}\n`;
}

const short = (probability: number): string => String(Number(probability.toPrecision(7)));
