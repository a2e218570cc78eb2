// [owner] [entity] [coordinator] Real numbers as numbers of the field: x ↦ round(x·2^f), negative ones counted down from the prime.
import { PRIME } from '../core/reference/field.ts';
import { F3Error } from '../errors.ts';
import { NUMBER_BYTES } from './field.ts';

/** f: bits after the point of everything that is shared. Simulated: 16 diverge, 20 cost accuracy, 24 do not. */
export const FRACTION_BITS = 24;
/** Shared values are below 2^16 in magnitude; owners' numbers beyond are refused before they are shared. */
export const WHOLE_BITS = 16;

const HIGH = PRIME >> 64n;
const WORD = 2n ** 64n;

/** `thing` names the numbers in the message when one does not fit. */
export function toFixedPoint(values: ArrayLike<number>, thing: string, bits = FRACTION_BITS): Uint8Array<ArrayBuffer> {
  const words = new BigUint64Array(values.length * 2);
  const scale = 2 ** bits;
  const most = 2 ** WHOLE_BITS;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (!(Math.abs(value) < most)) {
      const rule = `must be finite and below 2^${WHOLE_BITS} in magnitude to be shared`;
      throw new F3Error('F3_SHARES_RANGE', `${thing}: ${rule}, got ${value} (number ${i})`);
    }
    const whole = BigInt(Math.round(value * scale));
    if (whole >= 0n) words[2 * i] = whole;
    else {
      const number = PRIME + whole;
      words[2 * i] = number & (WORD - 1n);
      words[2 * i + 1] = number >> 64n;
    }
  }
  return new Uint8Array(words.buffer);
}

/** `bits` after the point, as many as the numbers have: a product has twice those of its factors. */
export function fromFixedPoint(bytes: Uint8Array, bits: number): Float64Array {
  const count = bytes.length / NUMBER_BYTES;
  const words = new BigUint64Array(bytes.slice().buffer);
  const values = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const number = words[2 * i] + (words[2 * i + 1] << 64n);
    const isNegative = words[2 * i + 1] > HIGH >> 1n;
    values[i] = Number(isNegative ? number - PRIME : number) * 2 ** -bits;
  }
  return values;
}
