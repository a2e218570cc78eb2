// Writes predictions as a table to stdout or a file, or as JSON.
import { extname } from 'node:path';
import { checkFileTarget, writeWholeFile } from '../../base/whole-file.ts';
import { F3Error } from '../../errors.ts';
import type { Predictions } from '../../infer/predictions.ts';
import { printResult } from '../run-command.ts';

export interface PredictionOutput {
  /** .arrow or .csv; without it CSV goes to stdout. */
  out?: string;
  force?: boolean;
  json?: boolean;
}

/** Called before the work, so that a wrong target costs no waiting. */
export function checkPredictionOutput({ out, force = false }: PredictionOutput): void {
  if (out === undefined) return;
  if (!['.csv', '.arrow'].includes(extname(out).toLowerCase())) {
    throw new F3Error('F3_OPTION', `--out: must end in .arrow or .csv, got ${out}`);
  }
  checkFileTarget(out, force);
}

/** `start` is when the work began, by `performance.now()`; `more` is added to the JSON. */
export async function printPredictions(
  predictions: Predictions,
  { out, json }: PredictionOutput,
  start: number,
  more: object = {},
): Promise<void> {
  const { classes, samples, predicted } = predictions;
  const { predictionsToArrow, predictionsToCsv } = await import('../../infer/predictions.ts');
  if (out) {
    const isArrow = extname(out).toLowerCase() === '.arrow';
    writeWholeFile(out, isArrow ? predictionsToArrow(predictions) : predictionsToCsv(predictions));
  }
  const seconds = (performance.now() - start) / 1000;
  const counts = classes.map((_, label) => predicted.reduce((sum, value) => sum + (value === label ? 1 : 0), 0));
  const summary = { ...more, samples: samples.length, classes, counts, seconds, ...(out && { out }) };
  const rows = () =>
    Array.from(predictions, (row) => ({ ...row, probabilities: classes.map((label) => row.probabilities[label]) }));
  const found = counts.map((count, label) => `${count} ${classes[label]}`).join(', ');
  const text = `${samples.length} samples predicted in ${seconds.toFixed(1)} s: ${found}; written to ${out}`;
  if (out || json) printResult(out ? summary : { ...summary, predictions: rows() }, text, json);
  else process.stdout.write(predictionsToCsv(predictions));
}
