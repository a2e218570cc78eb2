// First values of parameters, drawn from a random stream within the bounds of PyTorch and the published program.

import { sizeOf } from '../engine/tensor.ts';
import { expectArgument } from '../errors.ts';
import type { RandomStream } from '../random.ts';

/** U(low, high); edge probabilities θ [owners, owners] start U(0, 1). */
export function uniform(
  random: RandomStream,
  shape: readonly number[],
  low: number,
  high: number,
): Float32Array<ArrayBuffer> {
  const fits = Number.isFinite(low) && Number.isFinite(high) && low < high;
  expectArgument(fits, 'uniform', 'must have finite bounds, low below high', `${low} and ${high}`);
  const values = new Float32Array(sizeOf(shape));
  random.fillUniform(values, low, high);
  return values;
}

/** U(±1/√hidden): every weight and bias of an LSTM or GRU. */
export function recurrentUniform(random: RandomStream, shape: readonly number[], hidden: number) {
  return within(random, shape, 1 / Math.sqrt(hidden));
}

/** U(±1/√fanOut): weight [in, out] and bias [out] of a graph convolution, fanOut = out. */
export function fanOutUniform(random: RandomStream, shape: readonly number[], fanOut: number) {
  return within(random, shape, 1 / Math.sqrt(fanOut));
}

/** U(±1/√fanIn): weight [in, out] and bias [out] of a dense layer as PyTorch starts it. */
export function fanInUniform(random: RandomStream, shape: readonly number[], fanIn: number) {
  return within(random, shape, 1 / Math.sqrt(fanIn));
}

/**
 * Alignments [owners, from, to]: U(±√(6/(from·to + owners·to))). For from = to = d this is the published program's
 * ±√(6/(d·d + n·d)): PyTorch's Xavier rule takes a stacked [n, d, d] array for a convolution with fan in d·d and fan
 * out n·d. The rectangular case follows the same rule.
 */
export function alignmentUniform(random: RandomStream, owners: number, from: number, to: number = from) {
  return within(random, [owners, from, to], Math.sqrt(6 / (from * to + owners * to)));
}

function within(random: RandomStream, shape: readonly number[], bound: number) {
  return uniform(random, shape, -bound, bound);
}
