// [wire] A request for predictions as Arrow: one row per owner and sample, columns sample, owner and embedding.
import type { Table } from 'apache-arrow';
import { F3Error } from '../../errors.ts';
import { readFloatColumn } from './float-column.ts';
import { readArrow } from './read-arrow.ts';
import { readIds } from './sample-ids.ts';

const NAME = 'prediction request';

/** sample → owner → embedding */
export type PredictionTable = Map<string, Map<string, Float32Array>>;

export function decodePredictionTable(bytes: Uint8Array): PredictionTable {
  return readArrow(bytes, NAME, (table) => readTable(table, bytes.byteLength));
}

function readTable(table: Table, size: number): PredictionTable {
  const { values, width } = readFloatColumn(table, 'embedding', NAME, size);
  const rows = values.length / width;
  const { samples } = readIds(table, NAME, rows);
  const { samples: owners } = readIds(table, NAME, rows, { column: 'owner' });
  const found: PredictionTable = new Map();
  for (const [row, sample] of samples.entries()) {
    const own = found.get(sample) ?? new Map<string, Float32Array>();
    if (own.has(owners[row])) {
      const got = `${owners[row]} twice for ${sample} (row ${row + 1})`;
      throw new F3Error('F3_BUNDLE_DUPLICATE', `${NAME}: an owner may say one thing about a sample, got ${got}`);
    }
    own.set(owners[row], values.subarray(row * width, (row + 1) * width));
    found.set(sample, own);
  }
  return found;
}
