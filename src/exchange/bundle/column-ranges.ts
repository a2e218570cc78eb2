// [wire] Smallest, mean and largest value of each column of a matrix.

export interface ColumnRange {
  min: number;
  mean: number;
  max: number;
}

/** `values`: [row, width]. NaN in a column makes its three numbers NaN, no rows make them NaN as well. */
export function columnRanges(values: Float32Array, width: number): ColumnRange[] {
  const rows = values.length / width;
  return Array.from({ length: width }, (_, column) => {
    let min = rows > 0 ? values[column] : Number.NaN;
    let max = min;
    let sum = 0;
    for (let at = column; at < values.length; at += width) {
      const value = values[at];
      min = Math.min(min, value);
      max = Math.max(max, value);
      sum += value;
    }
    return { min, mean: sum / rows, max };
  });
}
