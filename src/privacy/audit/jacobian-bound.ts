// A bound that needs no attacker. Around a window x, the embedding moves by J·dx; readings vary with covariance Σ, the embedding has
// noise s. The best guess there can be (Bayes, Gaussian) leaves tr (Σ⁻¹ + JᵀJ/s²)⁻¹ of the variance; the rest can be recovered.
import { symmetricEigen } from '../../core/symmetric-eigen.ts';
import { solvePositive } from './ridge.ts';
import { columnsOf, pickRows, type Rows, rowCount } from './rows.ts';

/** Embeds windows: [row, T·v] → [row, d] */
export type EmbedWindows = (windows: Rows) => Rows;

/** What the local model lets through, whoever looks. */
export interface JacobianBound {
  /** Most of the windows' variance that anybody can recover, mean over the windows that were looked at. */
  recoverable: number;
  /** Directions of the embedding that move by at least a hundredth of the strongest one. */
  directions: number;
  /** Singular values of J in units of the readings' deviation, largest first, mean over windows. */
  spectrum: number[];
  windows: number;
}

const WINDOWS = 16;
/** Finite differences of a hundredth of a column's deviation. */
const STEP = 1e-2;
/** Longer windows would need a covariance that the samples do not determine. */
const LONGEST = 400;
/** Without noise, what is left are the digits of float32. */
const FLOAT_NOISE = 1e-6;

/** `noise` is the standard deviation of what was added to embeddings; `rows` are numbers of windows to look at. */
export function jacobianBound(
  windows: Rows,
  rows: readonly number[],
  embed: EmbedWindows,
  noise = 0,
): JacobianBound | undefined {
  const size = windows.width;
  if (size > LONGEST || rows.length === 0) return undefined;
  const { mean, deviation } = columnsOf(windows);
  const covariance = correlationOf(windows, mean, deviation);
  const looked = rows.slice(0, WINDOWS);
  let [recoverable, spectrum] = [0, [] as number[]];
  for (const row of looked) {
    const { jacobian, width, scale } = jacobianAt(pickRows(windows, [row]), deviation, embed);
    const s = Math.max(noise, FLOAT_NOISE * scale);
    recoverable += leftOver(covariance, size, jacobian, width, s) / looked.length;
    const values = singularValues(jacobian, width, size);
    spectrum = values.map((value, i) => (spectrum[i] ?? 0) + value / looked.length);
  }
  const directions = spectrum.filter((value) => value >= spectrum[0] / 100).length;
  return { recoverable, directions, spectrum, windows: looked.length };
}

/** J [d, T·v] with columns in units of the readings' deviations, by central differences. */
function jacobianAt(window: Rows, deviation: Float64Array, embed: EmbedWindows) {
  const size = window.width;
  const moved = new Float64Array(2 * size * size);
  for (let at = 0; at < size; at++) {
    for (const [side, sign] of [1, -1].entries()) {
      const row = (2 * at + side) * size;
      moved.set(window.values, row);
      moved[row + at] += sign * STEP * (deviation[at] || 1);
    }
  }
  const { values, width } = embed({ values: moved, width: size });
  const jacobian = new Float64Array(width * size);
  let scale = 0;
  for (let at = 0; at < size; at++) {
    for (let k = 0; k < width; k++) {
      const [up, down] = [values[2 * at * width + k], values[(2 * at + 1) * width + k]];
      jacobian[k * size + at] = deviation[at] > 0 ? (up - down) / (2 * STEP) : 0;
      scale = Math.max(scale, Math.abs(up));
    }
  }
  return { jacobian, width, scale: scale || 1 };
}

/** Covariance of windows whose columns have deviation 1, with a little of the identity so that it can be inverted. */
function correlationOf(windows: Rows, mean: Float64Array, deviation: Float64Array): Float64Array {
  const [size, count] = [windows.width, rowCount(windows)];
  const matrix = new Float64Array(size * size);
  const centred = new Float64Array(size);
  for (let row = 0; row < count; row++) {
    for (let i = 0; i < size; i++) {
      centred[i] = deviation[i] > 0 ? (windows.values[row * size + i] - mean[i]) / deviation[i] : 0;
    }
    for (let i = 0; i < size; i++)
      for (let j = 0; j <= i; j++) matrix[i * size + j] += (centred[i] * centred[j]) / count;
  }
  for (let i = 0; i < size; i++) for (let j = 0; j < i; j++) matrix[j * size + i] = matrix[i * size + j];
  for (let i = 0; i < size; i++) matrix[i * size + i] += 1e-6;
  return matrix;
}

/** 1 − tr Σ_left / tr Σ, with Σ_left = Σ − ΣJᵀ(JΣJᵀ + s²I)⁻¹JΣ. */
function leftOver(covariance: Float64Array, size: number, jacobian: Float64Array, width: number, s: number): number {
  const js = new Float64Array(width * size); // JΣ
  for (let k = 0; k < width; k++) {
    for (let i = 0; i < size; i++) {
      const value = jacobian[k * size + i];
      if (value !== 0) for (let j = 0; j < size; j++) js[k * size + j] += value * covariance[i * size + j];
    }
  }
  const inner = new Float64Array(width * width);
  for (let k = 0; k < width; k++) {
    for (let l = 0; l <= k; l++) {
      for (let j = 0; j < size; j++) inner[k * width + l] += js[k * size + j] * jacobian[l * size + j];
    }
    inner[k * width + k] += s * s;
  }
  const solved = solvePositive(inner, width, js, size);
  let [explained, total] = [0, 0];
  for (let at = 0; at < js.length; at++) explained += js[at] * solved[at];
  for (let i = 0; i < size; i++) total += covariance[i * size + i];
  return Math.min(1, Math.max(0, explained / total));
}

/** Of J [d, n], largest first: roots of the eigenvalues of JJᵀ. */
export function singularValues(jacobian: Float64Array, width: number, size: number): number[] {
  const a = new Float64Array(width * width);
  for (let k = 0; k < width; k++) {
    for (let l = 0; l < width; l++) {
      for (let j = 0; j < size; j++) a[k * width + l] += jacobian[k * size + j] * jacobian[l * size + j];
    }
  }
  const { values } = symmetricEigen(a, width);
  return Array.from(values, (value) => Math.sqrt(Math.max(0, value))).sort((x, y) => y - x);
}
