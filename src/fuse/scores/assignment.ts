// [coordinator] The assignment problem (Kuhn 1955, by shortest augmenting paths): one column for every row, largest sum.

/** scores: [d, d] → column of each row, all different, with the largest sum of scores */
export function assignment(scores: ArrayLike<number>, d: number): Uint32Array {
  // Row and column d stand for "nobody yet"; rowPrice[i] + columnPrice[j] ≤ cost(i, j) throughout.
  const rowPrice = new Float64Array(d + 1);
  const columnPrice = new Float64Array(d + 1);
  const rowOf = new Int32Array(d + 1).fill(-1);
  for (let row = 0; row < d; row++) {
    const slack = new Float64Array(d).fill(Number.POSITIVE_INFINITY);
    const cameFrom = new Int32Array(d).fill(d);
    const isDone = new Uint8Array(d + 1);
    rowOf[d] = row;
    let column = d;
    while (rowOf[column] !== -1) {
      isDone[column] = 1;
      const i = rowOf[column];
      let next = d;
      let step = Number.POSITIVE_INFINITY;
      for (let j = 0; j < d; j++) {
        if (isDone[j] === 1) continue;
        const reduced = -scores[i * d + j] - rowPrice[i] - columnPrice[j];
        if (reduced < slack[j]) {
          slack[j] = reduced;
          cameFrom[j] = column;
        }
        if (slack[j] < step) {
          step = slack[j];
          next = j;
        }
      }
      for (let j = 0; j <= d; j++) {
        if (isDone[j] === 1) {
          rowPrice[rowOf[j]] += step;
          columnPrice[j] -= step;
        } else if (j < d) slack[j] -= step;
      }
      column = next;
    }
    while (column !== d) {
      rowOf[column] = rowOf[cameFrom[column]];
      column = cameFrom[column];
    }
  }
  const columnOf = new Uint32Array(d);
  for (let j = 0; j < d; j++) columnOf[rowOf[j]] = j;
  return columnOf;
}
