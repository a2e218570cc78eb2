// Reads an Arrow column of fixed-size float32 lists, or says what is wrong with it.
import { type Data, DataType, type FixedSizeList, type Float32, Precision, type Vector } from 'apache-arrow';

export interface FloatLists {
  /** [row, width] */
  values: Float32Array;
  width: number;
}

export type FloatListFault =
  /** The column is of another type. */
  | { fault: 'type' }
  /** A list, or a number of it, is null; `row` counts from 0. */
  | { fault: 'null'; row: number }
  /** The column holds fewer numbers than its lists need. */
  | { fault: 'incomplete' };

/** No more rows are believed than `limit` bytes can hold. */
export function readFloatLists(vector: Vector, limit = Number.POSITIVE_INFINITY): FloatLists | FloatListFault {
  const type = vector.type as DataType;
  if (!DataType.isFixedSizeList(type) || !isFloat32(type.children[0].type)) return { fault: 'type' };
  const width = type.listSize;
  if (vector.nullCount > 0) return { fault: 'null', row: firstNull(vector.length, (row) => vector.isValid(row)) };
  if (width < 1 || vector.length * width * 4 > limit) return { fault: 'incomplete' };
  const values = new Float32Array(vector.length * width);
  let at = 0;
  for (const { children, offset, length } of vector.data as readonly Data<FixedSizeList<Float32>>[]) {
    const [child] = children;
    if (child.nullCount > 0) {
      const row = firstNull(length, (place) => rowIsValid(child, offset + place, width));
      return { fault: 'null', row: at / width + row };
    }
    const numbers = child.values.subarray(offset * width, (offset + length) * width);
    if (numbers.length < length * width) return { fault: 'incomplete' };
    values.set(numbers, at);
    at += numbers.length;
  }
  return { values, width };
}

// Types read from a file are of the general class Float, whatever their width.
const isFloat32 = (type: DataType): boolean => DataType.isFloat(type) && type.precision === Precision.SINGLE;

function firstNull(rows: number, isValid: (row: number) => boolean): number {
  let row = 0;
  while (row < rows && isValid(row)) row++;
  return row;
}

function rowIsValid(child: Data, row: number, width: number): boolean {
  for (let i = row * width; i < (row + 1) * width; i++) if (!child.getValid(i)) return false;
  return true;
}
