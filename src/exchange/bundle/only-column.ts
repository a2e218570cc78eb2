// [wire] A column by name, from bytes that somebody else wrote.
import type { Field, Schema, Table, Vector } from 'apache-arrow';
import { F3Error } from '../../errors.ts';

/** Arrow allows a name to occur twice; a bundle does not, for the columns it needs. */
export function onlyColumn(table: Table, column: string, name: string): Vector {
  onlyField(table.schema, column, name);
  return table.getChild(column) as Vector;
}

/** The same for a schema whose columns have yet to come. */
export function onlyField(schema: Schema, column: string, name: string): Field {
  const found = schema.fields.filter((field) => field.name === column);
  if (found.length === 1) return found[0];
  const what = found.length > 1 ? 'it twice' : `columns ${schema.names.join(', ') || '(none)'}`;
  throw new F3Error('F3_BUNDLE_COLUMN', `${name}: must have one column ${column}, got ${what}`);
}
