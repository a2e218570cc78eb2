// [coordinator] Scores sorted apart for each class: what rank statistics are made of.

/**
 * scores: [sample], labels: [sample] in 0 … classes − 1 → per class its samples' scores, ascending, NaN last.
 * Sorting plain numbers apart, to be merged, needs no comparison function, which would take most of the time.
 */
export function sortedByClass(scores: ArrayLike<number>, labels: ArrayLike<number>, classes: number): Float64Array[] {
  const sizes = new Int32Array(classes);
  for (let i = 0; i < labels.length; i++) sizes[labels[i]]++;
  const sorted = Array.from(sizes, (size) => new Float64Array(size));
  sizes.fill(0);
  for (let i = 0; i < labels.length; i++) sorted[labels[i]][sizes[labels[i]]++] = scores[i];
  for (const part of sorted) part.sort();
  return sorted;
}

/** Whether a sorted array holds a NaN, which has no rank. */
export function hasNaN(sorted: Float64Array): boolean {
  return sorted.length > 0 && Number.isNaN(sorted[sorted.length - 1]);
}

/** matrix: [row, width] → column c: [row] */
export function columnOf(matrix: ArrayLike<number>, c: number, width: number): Float64Array {
  const column = new Float64Array(matrix.length / width);
  for (let row = 0; row < column.length; row++) column[row] = matrix[row * width + c];
  return column;
}
