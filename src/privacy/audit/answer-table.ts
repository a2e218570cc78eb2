// [owner] Embeddings that take few values, such as rounded answers: whoever sees one can do no better, in the mean square, than to name the
// mean reading behind it. So a table of means is the best attacker there is, and what means vary is a bound for all of them.

import type { WindowTargets } from './recover-windows.ts';
import type { Attacker } from './ridge.ts';
import { columnsOf, type Rows, rowCount } from './rows.ts';

/** Embeddings with fewer samples to a value are no answers: their table would be a list of samples. */
const FEWEST_PER_ANSWER = 10;

/** What answers give away to whoever looks: shares of variance over the owner's own samples. */
export interface AnswerBound {
  /** Different embeddings. */
  answers: number;
  mean: number;
  last: number;
  every: number;
}

/** A number for each row, the same for the same embedding; undefined where embeddings are no answers. */
export function answersOf(embeddings: Rows): Int32Array | undefined {
  const numbers = new Map<string, number>();
  const { values, width } = embeddings;
  const codes = new Int32Array(rowCount(embeddings));
  for (let row = 0; row < codes.length; row++) {
    const name = values.subarray(row * width, (row + 1) * width).join();
    codes[row] = numbers.get(name) ?? numbers.size;
    numbers.set(name, codes[row]);
    if (numbers.size * FEWEST_PER_ANSWER > codes.length) return undefined;
  }
  return codes;
}

/** `inputs` [row, d] and `targets` [row, k] are the pairs that the attacker knows. An answer that it has not seen gets the mean of all. */
export function fitTable(inputs: Rows, targets: Rows): Attacker {
  const [overall, means] = [columnsOf(targets).mean, new Map<string, { count: number; sum: Float64Array }>()];
  const nameOf = ({ values, width }: Rows, row: number) => values.subarray(row * width, (row + 1) * width).join();
  const k = targets.width;
  for (let row = 0; row < rowCount(inputs); row++) {
    const name = nameOf(inputs, row);
    const entry = means.get(name) ?? { count: 0, sum: new Float64Array(k) };
    means.set(name, entry);
    entry.count++;
    for (let column = 0; column < k; column++) entry.sum[column] += targets.values[row * k + column];
  }
  return (asked) => {
    const guesses = new Float64Array(rowCount(asked) * k);
    for (let row = 0; row < rowCount(asked); row++) {
      const entry = means.get(nameOf(asked, row));
      guesses.set(entry ? entry.sum.map((sum) => sum / entry.count) : overall, row * k);
    }
    return { values: guesses, width: k };
  };
}

/** Undefined where embeddings are no answers. */
export function answerBound(embeddings: Rows, { rows, columns }: WindowTargets): AnswerBound | undefined {
  const codes = answersOf(embeddings);
  if (!codes) return undefined;
  const answers = 1 + codes.reduce((most, code) => Math.max(most, code), 0);
  const [{ mean, deviation }, k] = [columnsOf(rows), rows.width];
  const [count, sum] = [new Float64Array(answers), new Float64Array(answers * k)];
  for (const [row, code] of codes.entries()) {
    count[code]++;
    for (let column = 0; column < k; column++) sum[code * k + column] += rows.values[row * k + column] - mean[column];
  }
  const shareOf = (column: number) => {
    let between = 0;
    for (let code = 0; code < answers; code++) between += sum[code * k + column] ** 2 / count[code];
    return between / codes.length / deviation[column] ** 2;
  };
  const average = ([from, to]: [number, number]) => {
    const live = Array.from({ length: to - from }, (_, i) => from + i).filter(
      (column) => deviation[column] > 1e-9 * Math.abs(mean[column]),
    );
    return live.length === 0 ? 0 : live.reduce((total, column) => total + shareOf(column), 0) / live.length;
  };
  return { answers, mean: average(columns.mean), last: average(columns.last), every: average(columns.every) };
}
