// [owner] A given graph between owners: n×n numbers in a CSV file without a header.
import { F3Error } from '../../errors.ts';

/** Reads `text` as [owner, owner]; `thing` names the file in errors. */
export function parseGraph(text: string, owners: number, thing: string): Float64Array {
  const lines = text.trimEnd().split(/\r?\n/);
  const rule = `must be ${owners} × ${owners} numbers, one row and column per owner`;
  if (lines.length !== owners) throw graphError(`${thing}: ${rule}, got ${lines.length} rows`);
  const matrix = new Float64Array(owners * owners);
  for (const [row, line] of lines.entries()) {
    const cells = line.split(',');
    if (cells.length !== owners) throw graphError(`${thing}: ${rule}, got ${cells.length} numbers in row ${row + 1}`);
    for (const [column, cell] of cells.entries()) {
      const value = cell.trim() === '' ? Number.NaN : Number(cell);
      if (!Number.isFinite(value)) {
        throw graphError(`${thing}: ${rule}, got ${JSON.stringify(cell)} in row ${row + 1}, column ${column + 1}`);
      }
      matrix[row * owners + column] = value;
    }
  }
  return matrix;
}

/** `matrix`: [owner, owner] */
export function formatGraph(matrix: ArrayLike<number>, owners: number): string {
  const row = (i: number) => Array.from({ length: owners }, (_, j) => matrix[i * owners + j]).join(',');
  return `${Array.from({ length: owners }, (_, i) => row(i)).join('\n')}\n`;
}

export function checkGraph(matrix: ArrayLike<number>, owners: number): void {
  if (matrix.length !== owners * owners) {
    throw graphError(`graph: must have ${owners} × ${owners} numbers (owners), got ${matrix.length}`);
  }
  for (let i = 0; i < matrix.length; i++) {
    if (Number.isFinite(matrix[i])) continue;
    const place = `row ${Math.floor(i / owners) + 1}, column ${(i % owners) + 1}`;
    throw graphError(`graph: numbers must be finite, got ${matrix[i]} (${place})`);
  }
}

const graphError = (message: string): F3Error => new F3Error('F3_DATA_GRAPH', message);
