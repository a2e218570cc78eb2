// Looks for numbers in captured bytes, in every form in which a program is likely to send them.

/**
 * Indices of the numbers that occur in `bytes`: as float32 or float64 of either byte order, as decimal text, or in base64.
 * Four bytes alone occur by chance, so a float32 counts together with a neighbour: `steps` apart in the array, for arrays
 * that may be sent by rows or by columns.
 */
export function findNumbers(bytes: Buffer, numbers: Float32Array, steps: readonly number[] = [1]): number[] {
  const text = bytes.toString('latin1');
  const found: number[] = [];
  for (let at = 0; at < numbers.length; at++) {
    if (formsOf(numbers, at, steps).some((form) => text.includes(form))) found.push(at);
  }
  return found;
}

/** The forms of a number as texts of one byte per character. */
function formsOf(numbers: Float32Array, at: number, steps: readonly number[]): string[] {
  const value = numbers[at];
  if (value === 0 || Math.abs(value) === 1) return []; // such numbers stand everywhere
  const pairs = steps.filter((step) => at + step < numbers.length).map((step) => [value, numbers[at + step]]);
  return [
    ...pairs.flatMap((pair) => [written('FloatLE', pair), written('FloatBE', pair)]),
    written('DoubleLE', [value]),
    written('DoubleBE', [value]),
    String(value),
    value.toPrecision(9),
    value.toPrecision(8),
    value.toPrecision(7),
    ...inBase64(numbers.subarray(at, at + 6)),
  ];
}

type Kind = 'FloatLE' | 'FloatBE' | 'DoubleLE' | 'DoubleBE';

function written(kind: Kind, values: readonly number[]): string {
  const size = kind.startsWith('Float') ? 4 : 8;
  const form = Buffer.alloc(values.length * size);
  for (const [i, value] of values.entries()) form[`write${kind}`](value, i * size);
  return form.toString('latin1');
}

/** In base64 the same bytes look different at each of three places; the first and last digits depend on what is beside them. */
function inBase64(values: Float32Array): string[] {
  if (values.length < 6) return [];
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return [0, 1, 2].map((skip) => bytes.subarray(skip, skip + 21).toString('base64'));
}
