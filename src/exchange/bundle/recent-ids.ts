// [wire] Remembers the ids that were read last: owners mostly list the same samples in the same order, and reading ids takes
// most of the time of reading a bundle.
import { type Data, DataType, type Vector } from 'apache-arrow';

/** The bytes of an id column. */
interface Column {
  type: string;
  length: number;
  parts: Uint8Array[];
}

/** Remembers one column. What it recalls is the same object, so that callers can tell by identity that ids are shared. */
export class RecentIds<T> {
  #column: Column | undefined;
  #ids: T | undefined;

  /** The ids of an equal column, or those that `read` finds. */
  recall(vector: Vector, read: () => T): T {
    const column = columnOf(vector);
    if (this.#ids !== undefined && column && this.#column && isEqual(column, this.#column)) return this.#ids;
    const ids = read();
    this.#column = column;
    this.#ids = ids;
    return ids;
  }
}

/** Undefined for what is rare enough to be read every time: nulls, dictionaries, several batches. */
function columnOf({ type, data, length, nullCount }: Vector): Column | undefined {
  if (data.length !== 1 || nullCount > 0 || !(DataType.isUtf8(type) || DataType.isInt(type))) return undefined;
  const { values, valueOffsets, offset } = data[0] as Data;
  if (offset !== 0) return undefined;
  return { type: String(type), length, parts: [valueOffsets, values].flatMap((part) => (part ? [bytesOf(part)] : [])) };
}

function isEqual(a: Column, b: Column): boolean {
  if (a.type !== b.type || a.length !== b.length || a.parts.length !== b.parts.length) return false;
  return a.parts.every((part, i) => Buffer.compare(part, b.parts[i]) === 0);
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
