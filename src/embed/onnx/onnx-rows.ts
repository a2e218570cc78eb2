// [owner] Output rows of an ONNX model, one per window, and the checks that they must pass.

import { softmaxRows } from '../../core/softmax-rows.ts';
import { F3Error } from '../../errors.ts';

/** values: [row, width] */
export interface OnnxRows {
  width: number;
  values: Float32Array;
}

/** Puts batches one after the other. Throws unless all have one width and hold finite numbers. */
export function stackRows(subject: string, batches: readonly OnnxRows[], width?: number): OnnxRows {
  const first = width ?? batches[0]?.width ?? 0;
  const values = new Float32Array(batches.reduce((total, batch) => total + batch.values.length, 0));
  let at = 0;
  for (const batch of batches) {
    if (batch.width !== first) {
      throw new F3Error('F3_ONNX_OUTPUT', `${subject} must keep its width of ${first}, got ${batch.width}`);
    }
    values.set(batch.values, at);
    at += batch.values.length;
  }
  const rows = { width: first, values };
  checkFinite(subject, rows);
  return rows;
}

function checkFinite(subject: string, { width, values }: OnnxRows): void {
  const at = values.findIndex((value) => !Number.isFinite(value));
  if (at < 0) return;
  const place = `window ${Math.floor(at / width)}, column ${at % width}`;
  throw new F3Error('F3_ONNX_NOT_FINITE', `${subject} must be finite, got ${values[at]} (${place})`);
}

/** logits: [row, class] → probabilities [row, class] */
export function softmaxOf(subject: string, { width, values }: OnnxRows): Float32Array {
  checkClasses(subject, width);
  return Float32Array.from(softmaxRows(values, width));
}

/** probabilities: [row, class]. Throws unless every row is a distribution. */
export function probabilitiesOf(subject: string, { width, values }: OnnxRows): Float32Array {
  checkClasses(subject, width);
  for (let at = 0; at < values.length; at += width) {
    const row = values.subarray(at, at + width);
    const sum = row.reduce((a, b) => a + b, 0);
    if (Math.abs(sum - 1) <= 1e-3 && row.every((value) => value >= 0)) continue;
    const found = `[${Array.from(row, (value) => value.toPrecision(3)).join(', ')}] (window ${at / width})`;
    const hint = 'if these are logits, name the output as logits';
    throw new F3Error('F3_ONNX_OUTPUT', `${subject} must be probabilities that sum to 1, got ${found}; ${hint}`);
  }
  return values;
}

/** Throws on a single column: it tells how likely one of two classes is, but not which one. */
function checkClasses(subject: string, classes: number): void {
  if (classes > 1) return;
  throw new F3Error('F3_ONNX_OUTPUT', `${subject} must have one column for each class, got ${classes}`);
}

/**
 * Difference that is still the same, relative to the largest component: kernels for other batch sizes round otherwise.
 */
const TOLERANCE = 1e-3;

/** Throws unless a window has the same output in any batch. some: the first rows again, from a smaller batch */
export function checkFrozen(subject: string, some: OnnxRows, all: OnnxRows): void {
  const { width, values } = some;
  const scale = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const at = values.findIndex((value, i) => !(Math.abs(value - all.values[i]) <= TOLERANCE * scale));
  if (at < 0) return;
  const [one, other] = [all, some].map((rows) => rows.values[at].toPrecision(6));
  throw new F3Error(
    'F3_ONNX_NOT_FROZEN',
    `${subject} must not depend on chance or on the other windows of a batch, got ${one} and then ${other} ` +
      `(window ${Math.floor(at / width)}, column ${at % width}); dropout or batch normalisation in training mode? ` +
      'Call model.eval() and export again',
  );
}
