// [coordinator] The matrices P_i of a model as prediction uses them, and how near a hard one is to a permutation.

/** The matrices P_i of a model as prediction uses them. */
export interface OwnerAlignment {
  kind: 'soft' | 'hard';
  /** d: numbers of the common space. */
  rows: number;
  /** dᵢ of the widest owner. */
  columns: number;
  /** [owner, row, column]; columns beyond an owner's own width have no meaning */
  matrices: Float32Array;
}

/** A matrix of numbers, row after row. */
export interface Matrix {
  rows: number;
  columns: number;
  /** [row, column] */
  values: Float32Array;
}

/** P_i without the columns that an owner of `width` does not have. */
export function alignmentOf({ rows, columns, matrices }: OwnerAlignment, owner: number, width: number): Matrix {
  const values = new Float32Array(rows * width);
  for (let row = 0; row < rows; row++) {
    const start = (owner * rows + row) * columns;
    values.set(matrices.subarray(start, start + width), row * width);
  }
  return { rows, columns: width, values };
}

export interface Nearness {
  /** 1 for a permutation, 1/d for a matrix that tells nothing apart. */
  meanRowMaximum: number;
  /** Whether the rows' maxima lie in different columns: rounding gives a permutation. */
  roundsToPermutation: boolean;
}

export function permutationNearness({ rows, columns, values }: Matrix): Nearness {
  const maxima = Array.from({ length: rows }, (_, row) => {
    const entries = values.subarray(row * columns, (row + 1) * columns);
    const value = entries.reduce((most, entry) => Math.max(most, entry), Number.NEGATIVE_INFINITY);
    return { value, column: entries.indexOf(value) };
  });
  const meanRowMaximum = maxima.reduce((sum, { value }) => sum + value, 0) / rows;
  return { meanRowMaximum, roundsToPermutation: new Set(maxima.map(({ column }) => column)).size === columns };
}
