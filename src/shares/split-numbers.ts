// [owner] [coordinator] Splits numbers of the field into shares, one array per entity: f(j) = value + Σ a_l·jˡ (Shamir 1979).
import { randomFillSync } from 'node:crypto';
import { modulo } from '../core/reference/field.ts';
import { type Field, NUMBER_BYTES, type Numbers } from './field.ts';
import type { Scheme } from './scheme.ts';

/** Fills bytes with what nobody can guess. */
export type FillRandom = (bytes: Uint8Array) => void;

/**
 * Shares of `values` (bytes of numbers), entity 1 first. Coefficients come from node:crypto unless a caller brings a stream
 * of its own that it must be able to repeat.
 */
export function splitNumbers(
  field: Field,
  scheme: Scheme,
  values: Uint8Array,
  fillRandom: FillRandom = (bytes) => void randomFillSync(bytes),
): Uint8Array<ArrayBuffer>[] {
  const secret = field.load(values);
  const coefficients = Array.from({ length: scheme.threshold }, () => randomNumbers(field, secret.count, fillRandom));
  const share = field.temporary(secret.count);
  return Array.from({ length: scheme.entities }, (_, index) => {
    field.bytes(share).set(values);
    let power = 1n;
    for (const coefficient of coefficients) {
      power = modulo(power * BigInt(index + 1));
      field.scale(power, coefficient, share, { accumulate: true });
    }
    return field.copy(share);
  });
}

/** Uniform numbers: 127 random bits each. All ones, which stand for 0 twice, come with a chance of 2^−127. */
function randomNumbers(field: Field, count: number, fillRandom: FillRandom): Numbers {
  const bytes = new Uint8Array(count * NUMBER_BYTES);
  fillRandom(bytes);
  for (let at = NUMBER_BYTES - 1; at < bytes.length; at += NUMBER_BYTES) bytes[at] &= 0x7f;
  return field.load(bytes);
}
