// Reference of kernels/edge-noise.ts: the same bits, the noise in float64.
import type { RelaxationKind } from '../ops/edge-quantiles.ts';
import { type PhiloxKey, philox4x32 } from '../random.ts';

/** Two 32-bit keys of one example's edges: words 0 and 1 of Philox at counter (0, example, step, stream). */
export function edgeKeys(seed: PhiloxKey, example: number, step: number, stream: number): [number, number] {
  const words = new Uint32Array(4);
  philox4x32([0, example, step, stream], seed, words);
  return [words[0], words[1]];
}

/** 32 bits of an edge slot. */
export function edgeBits([key0, key1]: readonly [number, number], slot: number): number {
  let x = (slot + key0) | 0;
  x = Math.imul(x ^ (x >>> 17), 0xed5ad4bb);
  x = ((x ^ (x >>> 11)) + key1) | 0;
  x = Math.imul(x, 0xac4c1b51);
  x = Math.imul(x ^ (x >>> 15), 0x31848bab);
  return (x ^ (x >>> 14)) >>> 0;
}

/** Uniform on (−1, 1), an odd multiple of 2^−24. */
const centred = (bits: number) => (((bits | 0) >> 7) | 1) / 2 ** 24;
/** Uniform on (0, 1), an odd multiple of 2^−24. */
const open = (bits: number) => ((bits >>> 8) | 1) / 2 ** 24;

/** The noise s of slot `slot`, so that z = σ((quantile − s)/τ). */
export function edgeNoise(
  relaxation: RelaxationKind,
  seed: PhiloxKey,
  slot: number,
  example: number,
  step: number,
  stream: number,
): number {
  const keys = edgeKeys(seed, example, step, stream);
  switch (relaxation) {
    case 'normal': {
      const first = slot & ~4;
      const radius = Math.sqrt(-2 * Math.log(open(edgeBits(keys, first))));
      const angle = Math.PI * centred(edgeBits(keys, first + 4));
      return radius * (slot & 4 ? Math.cos(angle) : Math.sin(angle));
    }
    case 'logistic': {
      const x = centred(edgeBits(keys, slot));
      return Math.log((1 + x) / (1 - x));
    }
    case 'uniform':
      return (1 + centred(edgeBits(keys, slot))) / 2;
    case 'gumbel': {
      const u = open(edgeBits(keys, slot));
      const v = open(edgeBits(edgeKeys(seed, example, step, stream + 1), slot));
      return Math.log(Math.log(u) / Math.log(v));
    }
  }
}
