// Columns of a table file by name.
import { F3Error } from '../errors.ts';
import type { TableFile } from './table-file.ts';

/** The position of a column. The error for an unknown name lists those that there are. */
export function columnNumber(table: TableFile, name: string): number {
  const index = table.columns.findIndex((column) => column.name === name);
  if (index >= 0) return index;
  const names = table.columns.map((column) => column.name).join(', ');
  throw new F3Error('F3_DATA_COLUMN', `${table.file}: columns must be among ${names}, got ${name}`);
}

/** The name under which a query selects a column of the file. */
export const columnSql = (table: TableFile, name: string): string => `c${columnNumber(table, name)}`;

/** A column as text, without empty cells. */
export async function readColumn(table: TableFile, name: string): Promise<string[]> {
  const rows = await table.rows(`SELECT ${columnSql(table, name)}::VARCHAR FROM ${table.relation}`);
  return rows.map(([cell], row) => {
    if (typeof cell === 'string' && cell !== '') return cell;
    const rule = `column ${name} must have an id in every row`;
    throw new F3Error('F3_BUNDLE_ID', `${table.file}: ${rule}, got an empty cell (row ${row + 1})`);
  });
}
