// [wire] Where the columns of a bundle lie in its record batches, found from the schema alone.
import { DataType, type Int, Precision, type Schema } from 'apache-arrow';
import { F3Error } from '../../errors.ts';
import { type BundleCard, readCard } from './bundle.ts';
import { columnLayout } from './column-layout.ts';
import { columnError } from './float-column.ts';
import { onlyField } from './only-column.ts';
import { type SampleType, typeOfIds } from './sample-ids.ts';

/** Positions of a column in the lists of nodes and buffers of a batch. */
interface ColumnPlace {
  node: number;
  buffer: number;
}

export interface IdColumnPlace extends ColumnPlace {
  sampleType: SampleType;
  /** Bytes of an offset of text, or of an integer. */
  bytes: 1 | 2 | 4 | 8;
  isText: boolean;
  isSigned: boolean;
}

export interface FloatColumnPlace extends ColumnPlace {
  width: number;
}

export interface BundleColumns {
  card: BundleCard;
  ids: IdColumnPlace;
  embedding: FloatColumnPlace;
  probabilities: FloatColumnPlace | undefined;
  columns: number;
  nodes: number;
  buffers: number;
}

/** Thrown for what is sound Arrow and yet cannot be read while it streams. */
export class UnusualLayout extends Error {}

export function bundleColumns(schema: Schema, name: string): BundleColumns {
  const places = new Map<string, ColumnPlace>();
  const next = { node: 0, buffer: 0 };
  for (const { name: column, type } of schema.fields) {
    places.set(column, { ...next });
    const layout = columnLayout(type);
    if (!layout || DataType.isDictionary(type)) throw new UnusualLayout(`column ${column} of type ${type}`);
    next.node += layout.nodes;
    next.buffer += layout.buffers;
  }
  const place = (column: string) => places.get(column) as ColumnPlace;
  const floats = (column: string): FloatColumnPlace => {
    const { type } = onlyField(schema, column, name);
    if (!DataType.isFixedSizeList(type)) throw columnError({ fault: 'type' }, type, column, name);
    const item = type.children[0].type as DataType;
    const isFloat = DataType.isFloat(item) && item.precision === Precision.SINGLE;
    if (!isFloat) throw columnError({ fault: 'type' }, type, column, name);
    if (type.listSize < 1) throw columnError({ fault: 'incomplete' }, type, column, name);
    return { ...place(column), width: type.listSize };
  };
  const embedding = floats('embedding');
  const probabilities = schema.names.includes('probabilities') ? floats('probabilities') : undefined;
  const card = readCard(schema, name, { width: embedding.width, classes: probabilities?.width });
  const ids = { ...place('sample'), ...idType(onlyField(schema, 'sample', name).type, name) };
  const { length: columns } = schema.fields;
  return { card, ids, embedding, probabilities, columns, nodes: next.node, buffers: next.buffer };
}

function idType(type: DataType, name: string): Omit<IdColumnPlace, keyof ColumnPlace> {
  const sampleType = typeOfIds(type);
  if (!sampleType) {
    const rule = 'column sample must be utf8 or int64';
    throw new F3Error('F3_BUNDLE_COLUMN', `${name}: ${rule}, got ${type}; cast the ids to one of the two`);
  }
  if (DataType.isUtf8(type)) return { sampleType, bytes: 4, isText: true, isSigned: true };
  if (DataType.isLargeUtf8(type)) return { sampleType, bytes: 8, isText: true, isSigned: true };
  const { bitWidth, isSigned } = type as Int;
  return { sampleType, bytes: (bitWidth / 8) as 1 | 2 | 4 | 8, isText: false, isSigned };
}
