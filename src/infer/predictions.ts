// [coordinator] Predictions as a table: sample, class, probabilities, how many owners were present; Arrow or CSV.
import { encodeArrow, floatListColumn, integerColumn, textColumn } from '../base/arrow-table.ts';
import type { Engine } from '../core/engine/engine.ts';
import type { Joined } from '../fuse/join/bundle-join.ts';
import { type FusedModel, predictProbabilities } from '../fuse/model/fused-model.ts';
import type { PredictionGraphs } from '../fuse/model/predict-logits.ts';
import { predictedClasses } from '../fuse/scores/scores.ts';

export interface Predictions {
  /** Names of the classes. */
  classes: string[];
  samples: string[];
  /** [sample]: position in `classes` */
  predicted: Int32Array;
  /** [sample, class] */
  probabilities: Float64Array;
  /** [sample]: owners that had something to say */
  present: Int32Array;
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
  return { classes, samples: joined.samples, predicted, probabilities, present };
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
  const header = ['sample', 'class', ...classes.map((label) => `p(${label})`), 'owners'].map(cell).join(',');
  const lines = samples.map((sample, row) => {
    const own = Array.from(probabilities.subarray(row * classes.length, (row + 1) * classes.length), short);
    return [cell(sample), cell(classes[predicted[row]]), ...own, present[row]].join(',');
  });
  return `${[header, ...lines].join('\n')}\n`;
}

const short = (probability: number): string => String(Number(probability.toPrecision(7)));
const cell = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
