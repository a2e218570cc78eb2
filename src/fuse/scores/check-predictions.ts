// [coordinator] What every score asks of its input: one label per row, and labels that are classes.
import { expectArgument, expectShape } from '../../core/errors.ts';

/** probabilities: [sample, class], labels: [sample] */
export function checkPredictions(
  probabilities: ArrayLike<number>,
  labels: ArrayLike<number>,
  classes: number,
  thing: string,
): void {
  checkLabels(labels, classes, thing);
  const rows = probabilities.length / classes;
  expectShape(`${thing} probabilities`, [rows, classes], [labels.length, classes]);
}

/** labels: [sample], whole numbers from 0 to classes − 1 */
export function checkLabels(labels: ArrayLike<number>, classes: number, thing: string): void {
  expectArgument(
    Number.isInteger(classes) && classes >= 2,
    `${thing} classes`,
    'must be a whole number from 2',
    classes,
  );
  for (let i = 0; i < labels.length; i++) {
    const label = labels[i];
    if (Number.isInteger(label) && label >= 0 && label < classes) continue;
    expectArgument(false, `${thing} label of row ${i}`, `must be a whole number from 0 to ${classes - 1}`, label);
  }
}
