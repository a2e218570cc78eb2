// [wire] A column by name, from bytes that somebody else wrote.
import type { Table, Vector } from 'apache-arrow';
import { F3Error } from '../../errors.ts';

/** Arrow allows a name to occur twice; a bundle does not, for the columns it needs. */
export function onlyColumn(table: Table, column: string, name: string): Vector {
  const { names } = table.schema;
  const vector = table.getChild(column);
  if (vector && names.indexOf(column) === names.lastIndexOf(column)) return vector;
  const found = vector ? 'it twice' : `columns ${names.join(', ') || '(none)'}`;
  throw new F3Error('F3_BUNDLE_COLUMN', `${name}: must have one column ${column}, got ${found}`);
}
