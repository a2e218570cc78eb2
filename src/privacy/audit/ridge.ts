// [owner] Hoerl, Kennard 1970: a straight line through embeddings, the cheapest attacker there is, by Cholesky's decomposition.
import { columnsOf, pickRows, type Rows, rowCount, standardise } from './rows.ts';

/** Weights of ‖w‖² per sample that are tried; the one that does best on pairs kept back is taken. */
const PENALTIES = [1e-6, 1e-4, 1e-2, 1];
const KEPT_BACK = 0.2;

/** Turns rows of the inputs' kind into guesses. */
export type Attacker = (inputs: Rows) => Rows;

/** `inputs` [row, d] and `targets` [row, k] are the pairs that the attacker knows. */
export function fitLine(inputs: Rows, targets: Rows): Attacker {
  const count = rowCount(inputs);
  const back = Math.floor(count * KEPT_BACK);
  if (back < 2) return lineWith(inputs, targets, PENALTIES[2]);
  const [held, rest] = [range(0, back), range(back, count)];
  const errorOf = (penalty: number) => {
    const guess = lineWith(pickRows(inputs, rest), pickRows(targets, rest), penalty)(pickRows(inputs, held));
    const truth = pickRows(targets, held);
    return truth.values.reduce((sum, value, at) => sum + (value - guess.values[at]) ** 2, 0);
  };
  const errors = PENALTIES.map(errorOf);
  return lineWith(inputs, targets, PENALTIES[errors.indexOf(Math.min(...errors))]);
}

function lineWith(inputs: Rows, targets: Rows, penalty: number): Attacker {
  const [from, to] = [columnsOf(inputs), columnsOf(targets)];
  const x = standardise(inputs, from);
  const [count, d, k] = [rowCount(x), x.width, targets.width];
  const gram = new Float64Array(d * d);
  const product = new Float64Array(d * k);
  for (let row = 0; row < count; row++) {
    for (let i = 0; i < d; i++) {
      const value = x.values[row * d + i];
      if (value === 0) continue;
      for (let j = 0; j <= i; j++) gram[i * d + j] += value * x.values[row * d + j];
      for (let j = 0; j < k; j++) product[i * k + j] += value * (targets.values[row * k + j] - to.mean[j]);
    }
  }
  for (let i = 0; i < d; i++) gram[i * d + i] += penalty * count + 1e-9;
  const weights = solvePositive(gram, d, product, k);
  return (rows) => {
    const scaled = standardise(rows, from);
    const out = new Float64Array(rowCount(rows) * k);
    for (let row = 0; row < rowCount(rows); row++) {
      for (let j = 0; j < k; j++) {
        let sum = to.mean[j];
        for (let i = 0; i < d; i++) sum += scaled.values[row * d + i] * weights[i * k + j];
        out[row * k + j] = sum;
      }
    }
    return { values: out, width: k };
  };
}

/** A⁻¹B for a symmetric positive definite A [n, n], of which the lower half is read, and B [n, k]. */
export function solvePositive(a: Float64Array, n: number, b: Float64Array, k: number): Float64Array {
  const lower = a.slice();
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = lower[i * n + j];
      for (let p = 0; p < j; p++) sum -= lower[i * n + p] * lower[j * n + p];
      lower[i * n + j] = i === j ? Math.sqrt(Math.max(sum, Number.MIN_VALUE)) : sum / lower[j * n + j];
    }
  }
  const x = b.slice();
  for (let column = 0; column < k; column++) {
    for (let i = 0; i < n; i++) {
      let sum = x[i * k + column];
      for (let p = 0; p < i; p++) sum -= lower[i * n + p] * x[p * k + column];
      x[i * k + column] = sum / lower[i * n + i];
    }
    for (let i = n - 1; i >= 0; i--) {
      let sum = x[i * k + column];
      for (let p = i + 1; p < n; p++) sum -= lower[p * n + i] * x[p * k + column];
      x[i * k + column] = sum / lower[i * n + i];
    }
  }
  return x;
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
