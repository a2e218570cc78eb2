// [wire] A column of fixed-size float32 lists, from bytes that somebody else wrote; errors say how to mend another type.
import { DataType, type Table } from 'apache-arrow';
import { type FloatListFault, type FloatLists, readFloatLists } from '../../base/float-lists.ts';
import { F3Error } from '../../errors.ts';
import { onlyColumn } from './only-column.ts';

/** No more rows are believed than `limit` bytes can hold. */
export function readFloatColumn(table: Table, column: string, name: string, limit: number): FloatLists {
  const vector = onlyColumn(table, column, name);
  const lists = readFloatLists(vector, limit);
  if ('fault' in lists) throw columnError(lists, vector.type, column, name);
  return lists;
}

export function columnError(found: FloatListFault, type: DataType, column: string, name: string): F3Error {
  const subject = `${name}: column ${column}`;
  switch (found.fault) {
    case 'type': {
      const rule = 'must be fixed_size_list<float32>[d]';
      return new F3Error('F3_BUNDLE_COLUMN', `${subject} ${rule}, got ${type}; ${castAdvice(type)}`);
    }
    case 'null':
      return new F3Error('F3_BUNDLE_COLUMN', `${subject} must have no nulls, got one in row ${found.row + 1}`);
    case 'incomplete':
      return new F3Error('F3_BUNDLE_FORMAT', `${subject} must hold as many numbers as its lists need, got fewer`);
  }
}

function castAdvice(type: DataType): string {
  if (!DataType.isList(type) && !DataType.isFixedSizeList(type)) return 'docs/bundle-format.md shows how to build it';
  const size = DataType.isFixedSizeList(type) ? type.listSize : 'd';
  return `in Python: column.cast(pyarrow.list_(pyarrow.float32(), ${size}))`;
}
