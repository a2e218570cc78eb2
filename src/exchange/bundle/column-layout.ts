// [wire] How many nodes and buffers a column takes in an Arrow record batch, by its type.
// Format: https://arrow.apache.org/docs/format/Columnar.html#buffer-listing-for-each-layout
import { DataType, type Field, Type, UnionMode } from 'apache-arrow';

export interface ColumnLayout {
  nodes: number;
  buffers: number;
}

/** Undefined for types whose buffers the schema does not tell, such as views, and for those that this reader does not know. */
export function columnLayout(type: DataType): ColumnLayout | undefined {
  if (DataType.isDictionary(type)) return columnLayout(type.indices);
  const own = ownBuffers(type);
  if (own === undefined) return undefined;
  const layout = { nodes: 1, buffers: own };
  for (const { type: child } of (type.children ?? []) as Field[]) {
    const inner = columnLayout(child);
    if (!inner) return undefined;
    layout.nodes += inner.nodes;
    layout.buffers += inner.buffers;
  }
  return layout;
}

function ownBuffers(type: DataType): number | undefined {
  switch (type.typeId) {
    case Type.Null:
      return 0;
    case Type.Struct:
    case Type.FixedSizeList:
      return 1;
    case Type.Union:
      return DataType.isUnion(type) && type.mode === UnionMode.Dense ? 2 : 1;
    case Type.Utf8:
    case Type.LargeUtf8:
    case Type.Binary:
    case Type.LargeBinary:
      return 3;
    case Type.Bool:
    case Type.Int:
    case Type.Float:
    case Type.Decimal:
    case Type.Date:
    case Type.Time:
    case Type.Timestamp:
    case Type.Interval:
    case Type.Duration:
    case Type.FixedSizeBinary:
    case Type.List:
    case Type.Map:
      return 2;
    default:
      return undefined;
  }
}
