// [owner] Embeddings in a CSV or Parquet table: one row per sample; one column per number, or one column of lists.
import type { DuckDBValue } from '@duckdb/node-api';
import { columnNumber, columnSql, readColumn } from '../base/table-columns.ts';
import { TableFile } from '../base/table-file.ts';
import { F3Error } from '../errors.ts';
import type { BundleContent } from '../exchange/bundle/bundle.ts';
import { canonicalSampleIds } from '../exchange/bundle/canonical-time.ts';
import type { SampleType } from '../exchange/bundle/sample-ids.ts';

/** Which columns of a table say what. */
export interface EmbeddingTableOptions {
  idColumn: string;
  columns?: string[];
  probabilityColumns?: string[];
}

const INTEGER_TYPE = /^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$/;
const NUMBER_TYPE = /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL\(.*\))$/;
const LIST_SUFFIX = /\[\d*\]$/;

/** Reads embeddings from a CSV or Parquet table with one row per sample. */
export async function readEmbeddingTable(file: string, options: EmbeddingTableOptions): Promise<BundleContent> {
  const { idColumn, probabilityColumns } = options;
  const table = await TableFile.open(file);
  try {
    const sampleType = idType(table, idColumn);
    const ids = await readColumn(table, idColumn);
    const samples = sampleType === 'text' ? canonicalSampleIds(ids) : ids;
    const taken = [idColumn, ...(probabilityColumns ?? [])];
    const others = table.columns.map(({ name }) => name).filter((name) => !taken.includes(name));
    const embedding = await readMatrix(table, options.columns ?? others, samples);
    const read = { samples, sampleType, width: embedding.width, embeddings: embedding.values };
    if (!probabilityColumns) return read;
    const probabilities = await readMatrix(table, probabilityColumns, samples);
    return { ...read, classes: probabilities.width, probabilities: probabilities.values };
  } finally {
    table.close();
  }
}

function idType(table: TableFile, name: string): SampleType {
  const type = typeOf(table, name);
  if (INTEGER_TYPE.test(type)) return 'integer';
  if (type === 'VARCHAR' || type.startsWith('ENUM(') || type.startsWith('TIMESTAMP')) return 'text';
  throw columnError(table, name, 'must hold ids as text, times or integers', `${type}; write them as text`);
}

/** `values`: [row, width] */
async function readMatrix(
  table: TableFile,
  names: readonly string[],
  samples: readonly string[],
): Promise<{ values: Float32Array; width: number }> {
  const expressions = names.map((name) => numberExpression(table, name, names.length === 1));
  if (names.length === 0) {
    throw new F3Error('F3_DATA_COLUMN', `${table.file}: must have columns of numbers beside the ids, got none`);
  }
  const rows: number[][] = [];
  for await (const chunk of table.chunks(`SELECT ${expressions.join(', ')} FROM ${table.relation}`)) {
    for (const cells of chunk.getRows()) {
      const row = rows.length;
      const numbers = cells.flatMap(itemsOf);
      const bad = numbers.findIndex((value) => !Number.isFinite(Math.fround(value)));
      if (bad >= 0) throw await notANumber(table, names, row, bad, samples[row]);
      if (row > 0 && numbers.length !== rows[0].length) {
        const found = `${numbers.length} (row ${row + 1}, sample ${samples[row]})`;
        throw columnError(table, names[0], `must hold lists of one length (${rows[0].length})`, found);
      }
      rows.push(numbers);
    }
  }
  const width = rows[0]?.length ?? names.length;
  if (width === 0) throw columnError(table, names[0], 'must hold lists of numbers', 'empty lists');
  const values = new Float32Array(rows.length * width);
  for (const [row, numbers] of rows.entries()) values.set(numbers, row * width);
  return { values, width };
}

/**
 * The numbers of a cell or of its list. Anything that is no number becomes NaN, which is then reported with its place.
 */
function itemsOf(cell: DuckDBValue): number[] {
  const isList = cell !== null && typeof cell === 'object' && 'items' in cell;
  return (isList ? cell.items : [cell]).map((item) => (typeof item === 'number' ? item : Number.NaN));
}

function numberExpression(table: TableFile, name: string, isOnly: boolean): string {
  const [sql, type] = [columnSql(table, name), typeOf(table, name)];
  if (type === 'VARCHAR' || NUMBER_TYPE.test(type)) return `try_cast(${sql} AS DOUBLE)`;
  const isList = LIST_SUFFIX.test(type) && NUMBER_TYPE.test(type.replace(LIST_SUFFIX, ''));
  if (isList && isOnly) return `${sql}::DOUBLE[]`;
  const rule = isList ? 'holds lists and must be the only column of its kind' : 'must hold numbers or lists of numbers';
  throw columnError(table, name, rule, type);
}

async function notANumber(
  table: TableFile,
  names: readonly string[],
  row: number,
  column: number,
  sample: string,
): Promise<F3Error> {
  const isList = names.length === 1 && LIST_SUFFIX.test(typeOf(table, names[0]));
  const name = names[isList ? 0 : column];
  const item = isList ? `[${column + 1}]` : '';
  const query = `SELECT (${columnSql(table, name)}${item})::VARCHAR FROM ${table.relation} LIMIT 1 OFFSET ${row}`;
  const [[cell]] = await table.rows(query);
  const found = cell === null ? 'an empty cell' : String(cell);
  const where = `row ${row + 1}, sample ${sample}${isList ? `, item ${column}` : ''}`;
  const rule = `column ${name} must hold finite numbers within float32`;
  return new F3Error('F3_BUNDLE_NOT_FINITE', `${table.file}: ${rule}, got ${found} (${where})`);
}

const typeOf = (table: TableFile, name: string): string => table.columns[columnNumber(table, name)].type;

const columnError = (table: TableFile, name: string, rule: string, found: string): F3Error =>
  new F3Error('F3_DATA_COLUMN', `${table.file}: column ${name} ${rule}, got ${found}`);
