// [wire] Reads a column of fixed-size float32 lists from bytes that somebody else wrote, and says how to mend another type.
import { type Data, DataType, type FixedSizeList, type Float32, Precision, type Table } from 'apache-arrow';
import { F3Error } from '../../errors.ts';
import { onlyColumn } from './only-column.ts';

/** `values`: [row, width]. No more rows are believed than `limit` bytes can hold. */
export function readFloatLists(
  table: Table,
  column: string,
  name: string,
  limit: number,
): { values: Float32Array; width: number } {
  const vector = onlyColumn(table, column, name);
  const type = vector.type as DataType;
  if (!DataType.isFixedSizeList(type) || !isFloat32(type.children[0].type)) {
    const rule = `column ${column} must be fixed_size_list<float32>[d]`;
    throw new F3Error('F3_BUNDLE_COLUMN', `${name}: ${rule}, got ${type}; ${castAdvice(type)}`);
  }
  const width = type.listSize;
  if (vector.nullCount > 0) throw nullError(name, column, vector.isValid.bind(vector), vector.length);
  if (width < 1 || vector.length * width * 4 > limit) throw incomplete(name, column);
  const values = new Float32Array(vector.length * width);
  let at = 0;
  for (const { children, offset, length } of vector.data as readonly Data<FixedSizeList<Float32>>[]) {
    const [child] = children;
    if (child.nullCount > 0) {
      throw nullError(name, column, (row) => rowIsValid(child, offset + row, width), length, at / width);
    }
    const numbers = child.values.subarray(offset * width, (offset + length) * width);
    if (numbers.length < length * width) throw incomplete(name, column);
    values.set(numbers, at);
    at += numbers.length;
  }
  return { values, width };
}

// Types read from a file are of the general class Float, whatever their width.
const isFloat32 = (type: DataType): boolean => DataType.isFloat(type) && type.precision === Precision.SINGLE;

function castAdvice(type: DataType): string {
  if (!DataType.isList(type) && !DataType.isFixedSizeList(type)) return 'docs/bundle-format.md shows how to build it';
  const size = DataType.isFixedSizeList(type) ? type.listSize : 'd';
  return `in Python: column.cast(pyarrow.list_(pyarrow.float32(), ${size}))`;
}

function rowIsValid(child: Data, row: number, width: number): boolean {
  for (let i = row * width; i < (row + 1) * width; i++) if (!child.getValid(i)) return false;
  return true;
}

function nullError(name: string, column: string, isValid: (row: number) => boolean, rows: number, first = 0): F3Error {
  let row = 0;
  while (row < rows && isValid(row)) row++;
  return new F3Error(
    'F3_BUNDLE_COLUMN',
    `${name}: column ${column} must have no nulls, got one in row ${first + row + 1}`,
  );
}

const incomplete = (name: string, column: string): F3Error =>
  new F3Error('F3_BUNDLE_FORMAT', `${name}: column ${column} must hold as many numbers as its lists need, got fewer`);
