// Arrow IPC files of text, integer and fixed-size float32 list columns: the format of data sets and of bundles.
import { isAscii } from 'node:buffer';
import {
  type Data,
  DataType,
  Field,
  FixedSizeList,
  Float32,
  Int32,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableFromIPC,
  tableToIPC,
  Utf8,
  type Vector,
} from 'apache-arrow';

/** A column ready to write: its Arrow type and data. */
export interface ArrowColumn {
  type: DataType;
  data: Data;
}

export function textColumn(values: readonly string[]): ArrowColumn {
  const bytes = Buffer.from(values.join(''), 'utf8');
  const valueOffsets = new Int32Array(values.length + 1);
  for (let i = 0; i < values.length; i++) valueOffsets[i + 1] = valueOffsets[i] + Buffer.byteLength(values[i]);
  const type = new Utf8();
  return { type, data: makeData({ type, length: values.length, nullCount: 0, valueOffsets, data: bytes }) };
}

export function integerColumn(values: Int32Array): ArrowColumn {
  const type = new Int32();
  return { type, data: makeData({ type, length: values.length, nullCount: 0, data: values }) };
}

/** `values`: [row, width] */
export function floatListColumn(values: Float32Array, width: number): ArrowColumn {
  const item = new Float32();
  const type = new FixedSizeList(width, new Field('item', item, false));
  const child = makeData({ type: item, length: values.length, nullCount: 0, data: values });
  return { type, data: makeData({ type, length: values.length / width, nullCount: 0, child }) };
}

/** The bytes of an Arrow IPC file with one record batch. */
export function encodeArrow(columns: Record<string, ArrowColumn>, metadata: Record<string, string>): Uint8Array {
  const named = Object.entries(columns);
  const fields = named.map(([name, { type }]) => new Field(name, type, false));
  const schema = new Schema(fields, new Map(Object.entries(metadata)));
  const children = named.map(([, { data }]) => data);
  const length = children[0].length;
  const rows = makeData({ type: new Struct(fields), length, nullCount: 0, children });
  return tableToIPC(new Table(schema, [new RecordBatch(schema, rows)]), 'file');
}

/** Parses an Arrow IPC file or stream. Other bytes make it throw whatever apache-arrow throws. */
export function decodeArrow(bytes: Uint8Array): Table {
  return tableFromIPC(bytes);
}

/** The texts of a utf8 column, dictionary-encoded or not; undefined when the column is absent, of another type or has nulls. */
export function readTexts(table: Table, name: string): string[] | undefined {
  const vector = table.getChild(name);
  if (!vector || vector.nullCount > 0 || !isText(vector.type)) return undefined;
  return vector.data.every(isPlainUtf8) ? vector.data.flatMap(sliceTexts) : Array.from(vector as Vector<Utf8>, String);
}

/** The values of an int32 column, or of another integer column whose values fit; undefined otherwise. */
export function readIntegers(table: Table, name: string): Int32Array | undefined {
  const vector = table.getChild(name);
  if (!vector || vector.nullCount > 0 || !DataType.isInt(vector.type)) return undefined;
  const values = Int32Array.from(vector, Number);
  return Array.from(vector, Number).every((value, i) => value === values[i]) ? values : undefined;
}

const isPlainUtf8 = (data: Data): boolean => DataType.isUtf8(data.type);
const isText = (type: DataType): boolean =>
  DataType.isUtf8(type) || DataType.isLargeUtf8(type) || (DataType.isDictionary(type) && isText(type.dictionary));

/** The column is decoded once and then sliced, because ids are mostly ASCII, where bytes and characters coincide. */
function sliceTexts(data: Data): string[] {
  const { valueOffsets, length } = data as Data<Utf8>;
  const values = data.values as Uint8Array;
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  const [first, last] = [valueOffsets[0], valueOffsets[length]];
  const all = isAscii(bytes.subarray(first, last)) ? bytes.toString('latin1', first, last) : undefined;
  return Array.from({ length }, (_, i) => {
    const [start, end] = [valueOffsets[i], valueOffsets[i + 1]];
    return all?.slice(start - first, end - first) ?? bytes.toString('utf8', start, end);
  });
}
