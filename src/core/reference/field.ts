// Reference of kernels/field/field.ts, field-openings.ts and field-product.ts: the prime field 2^127 − 1 in BigInt.

/** The Mersenne prime 2^127 − 1. */
export const PRIME = 2n ** 127n - 1n;

/** The number of the field that a whole number stands for. */
export const modulo = (value: bigint): bigint => ((value % PRIME) + PRIME) % PRIME;

/** base^exponent; 0 has no inverse and gives 0 for exponent −1 */
export function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = modulo(base);
  for (let rest = exponent < 0n ? exponent + PRIME - 1n : exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = modulo(result * square);
    square = modulo(square * square);
  }
  return result;
}

export const inverse = (value: bigint): bigint => power(value, -1n);

/** A number of the field as the whole number nearest to 0 that it stands for. */
export const centred = (value: bigint): bigint => (value > PRIME / 2n ? value - PRIME : value);

/** 16 bytes per number, low byte first. */
export function toBytes(values: readonly bigint[]): Uint8Array {
  const words = new BigUint64Array(values.length * 2);
  values.forEach((value, i) => {
    words[2 * i] = BigInt.asUintN(64, value);
    words[2 * i + 1] = value >> 64n;
  });
  return new Uint8Array(words.buffer);
}

export function fromBytes(bytes: Uint8Array): bigint[] {
  const words = new BigUint64Array(bytes.slice().buffer);
  return Array.from({ length: words.length / 2 }, (_, i) => words[2 * i] + (words[2 * i + 1] << 64n));
}
