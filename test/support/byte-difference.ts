// Whether numbers of 16 bytes are uniform, or of the same distribution as others: χ² of the frequencies of bytes, position by position.

/**
 * χ² at the worst position, in standard deviations from what chance gives on average. Without `others` against uniform numbers of 127 bits.
 * Few numbers are compared by fewer bits of each byte, the highest ones.
 */
export function byteDifference(numbers: Uint8Array, others?: Uint8Array, positions = 16): number {
  const count = Math.min(numbers.length, others?.length ?? numbers.length) / 16;
  const bits = Math.max(1, Math.min(8, Math.floor(Math.log2(count / 5))));
  let worst = Number.NEGATIVE_INFINITY;
  for (let position = 0; position < positions; position++) {
    // The highest bit of a number is always 0.
    const width = position === 15 ? 7 : 8;
    const shift = Math.max(0, width - bits);
    const cells = 2 ** (width - shift);
    const [a, b] = [countsAt(numbers, position, shift, cells), others && countsAt(others, position, shift, cells)];
    const chi = b ? betweenTwo(a, b) : fromUniform(a);
    const freedom = Math.max(1, (b ? a.filter((n, i) => n + b[i] > 0).length : cells) - 1);
    worst = Math.max(worst, (chi - freedom) / Math.sqrt(2 * freedom));
  }
  return worst;
}

function countsAt(numbers: Uint8Array, position: number, shift: number, cells: number): Float64Array {
  const counts = new Float64Array(cells);
  for (let at = position; at < numbers.length; at += 16) counts[Math.min(cells - 1, numbers[at] >> shift)]++;
  return counts;
}

function fromUniform(counts: Float64Array): number {
  const expected = counts.reduce((sum, n) => sum + n, 0) / counts.length;
  return counts.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
}

/** Samples may differ in size. */
function betweenTwo(a: Float64Array, b: Float64Array): number {
  const [all, also] = [a.reduce((sum, n) => sum + n, 0), b.reduce((sum, n) => sum + n, 0)];
  const [up, down] = [Math.sqrt(also / all), Math.sqrt(all / also)];
  return a.reduce((sum, n, i) => (n + b[i] === 0 ? sum : sum + (up * n - down * b[i]) ** 2 / (n + b[i])), 0);
}
