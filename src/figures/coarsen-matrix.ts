// Makes a large matrix small enough for a figure: neighbouring entries become one cell.
import type { Matrix } from '../fuse/model/owner-alignment.ts';

/** How many entries a cell must span, each way, for `entries` of them to become at most `cells`. */
export const blockFor = (entries: number, cells: number): number => Math.max(1, Math.ceil(entries / cells));

/** `join` turns the entries of a block into its cell: `block` × `block` of them, or what is left at an edge. */
export function coarsenMatrix(matrix: Matrix, block: number, join: (entries: readonly number[]) => number): Matrix {
  const [rows, columns] = [Math.ceil(matrix.rows / block), Math.ceil(matrix.columns / block)];
  const values = Float32Array.from({ length: rows * columns }, (_, at) => {
    const [top, left] = [Math.floor(at / columns) * block, (at % columns) * block];
    const entries: number[] = [];
    for (let r = top; r < Math.min(top + block, matrix.rows); r++) {
      for (let c = left; c < Math.min(left + block, matrix.columns); c++)
        entries.push(matrix.values[r * matrix.columns + c]);
    }
    return join(entries);
  });
  return { rows, columns, values };
}
