// [wire] Smallest, mean and largest value of each column of a matrix.

export interface ColumnRange {
  min: number;
  mean: number;
  max: number;
}

/** `values`: [row, width]. NaN in a column makes its three numbers NaN, no rows make them NaN as well. */
export function columnRanges(values: Float32Array, width: number): ColumnRange[] {
  const rows = values.length / width;
  const start = rows > 0 ? values.subarray(0, width) : new Float32Array(width).fill(Number.NaN);
  const ranges = Array.from(start, (value) => ({ min: value, mean: 0, max: value }));
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < width; column++) {
      const value = values[row * width + column];
      const range = ranges[column];
      range.min = Math.min(range.min, value);
      range.max = Math.max(range.max, value);
      range.mean += value;
    }
  }
  return ranges.map(({ min, mean, max }) => ({ min, mean: mean / rows, max }));
}
