// [wire] Checks the messages of an Arrow IPC file or stream before apache-arrow sees them.
// Format: https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc
import { F3Error } from '../../errors.ts';
import { FlatTable } from './flat-table.ts';

export const MAGIC = Buffer.from('ARROW1');
const CONTINUATION = Buffer.from('ffffffff', 'hex');
const END_OF_STREAM = Buffer.from('ffffffff00000000', 'hex');
export const SCHEMA = 1;
const DICTIONARY = 2;
export const BATCH = 3;

/** Other formats by their first bytes, with the way out. */
const LOOKALIKES = [
  { start: Buffer.from('PAR1'), what: 'a Parquet file (f3 bundle from-parquet converts it)' },
  { start: Buffer.from('\x93NUMPY', 'latin1'), what: 'a NumPy array (f3 bundle from-npy converts it)' },
  { start: Buffer.from('PK\x03\x04'), what: 'a ZIP or .npz archive (unpack it, then f3 bundle from-npy)' },
  { start: Buffer.from('FEA1'), what: 'a Feather file of version 1 (write version 2, which is Arrow IPC)' },
];

/**
 * Refuses bytes that are cut short, or whose lengths contradict their size: apache-arrow would read some of them as
 * shorter tables, and others for ever.
 */
export function checkArrow(bytes: Uint8Array, name: string): void {
  const isFile = isArrowFile(bytes, name);
  const mark = isFile ? MAGIC : END_OF_STREAM;
  if (bytes.byteLength < 24 || !mark.equals(bytes.subarray(-mark.length))) {
    const rule = 'must be a whole Arrow IPC file that ends with its closing mark';
    throw new F3Error('F3_BUNDLE_FORMAT', `${name}: ${rule}, got ${bytes.byteLength} bytes that stop before it`);
  }
  try {
    if (isFile) checkFile(bytes);
    else checkStream(bytes);
  } catch (cause) {
    const message = `${name}: must be a sound Arrow IPC file, got ${(cause as Error).message}`;
    throw new F3Error('F3_BUNDLE_FORMAT', message, { cause });
  }
}

/** Whether the first bytes are those of an Arrow file. Throws unless they are, or are those of an Arrow stream. */
export function isArrowFile(bytes: Uint8Array, name: string): boolean {
  const isFile = startsWith(bytes, MAGIC);
  if (isFile || startsWith(bytes, CONTINUATION)) return isFile;
  const found = LOOKALIKES.find(({ start }) => startsWith(bytes, start))?.what;
  const what = found ?? (bytes.byteLength === 0 ? 'an empty file' : 'something else');
  throw new F3Error('F3_BUNDLE_FORMAT', `${name}: must be an Arrow IPC file, got ${what}`);
}

/** A file ends with a footer that holds the schema and says where messages begin, its length, and the magic. */
function checkFile(bytes: Uint8Array): void {
  const lengthAt = bytes.byteLength - MAGIC.length - 4;
  const length = viewOf(bytes).getInt32(lengthAt, true);
  if (length < 0 || length > lengthAt) throw new Error(`a footer of ${length} bytes`);
  const footer = FlatTable.root(bytes.subarray(lengthAt - length, lengthAt));
  checkVersion(footer);
  const schema = footer.table(1);
  if (!schema) throw new Error('a footer without a schema');
  checkSchema(schema);
  for (const [slot, type] of [[2, DICTIONARY] as const, [3, BATCH] as const]) {
    const blocks = footer.longs(slot, 3);
    for (let i = 0; i < blocks.length; i += 3) checkMessage(bytes, blocks[i], lengthAt - length, [type]);
  }
}

function checkStream(bytes: Uint8Array): void {
  const end = bytes.byteLength - END_OF_STREAM.length;
  let at = checkMessage(bytes, 0, end, [SCHEMA]);
  while (at < end) at = checkMessage(bytes, at, end, [DICTIONARY, BATCH]);
}

/** Throws unless a message lies at `at`, with all its tables and vectors inside it. Returns where its body ends. */
function checkMessage(bytes: Uint8Array, at: number, end: number, types: readonly number[]): number {
  const view = viewOf(bytes);
  if (view.getInt32(at, true) !== -1) throw new Error(`no message at byte ${at}`);
  const body = at + 8 + view.getInt32(at + 4, true);
  if (body <= at + 8 || body > end) throw new Error(`a message of ${body - at} bytes at byte ${at}`);
  return body + readMessage(bytes.subarray(at + 8, body), body, end, types).bodyBytes;
}

export interface ArrowMessage {
  type: number;
  header: FlatTable;
  bodyBytes: number;
}

/** Checks the metadata of a message whose body begins at `body`, in an input that ends at `end`. */
export function readMessage(
  metadata: Uint8Array,
  body: number,
  end: number,
  types: readonly number[] = [SCHEMA, DICTIONARY, BATCH],
): ArrowMessage {
  const message = FlatTable.root(metadata);
  const [type, bodyBytes, header] = [message.byte(1), message.long(3), message.table(2)];
  checkVersion(message);
  if (!header || !types.includes(type)) throw new Error(`a message of type ${type} out of place before byte ${body}`);
  if (bodyBytes < 0 || body + bodyBytes > end) throw new Error(`a body of ${bodyBytes} bytes at byte ${body}`);
  if (type === SCHEMA) checkSchema(header);
  else checkBatch(type === BATCH ? header : header.table(1), bodyBytes);
  checkKeyValues(message.tables(4));
  return { type, header, bodyBytes };
}

/** Before version 4 of its metadata, Arrow placed buffers differently. The version is the first field of messages and footers. */
export function checkVersion(table: FlatTable): void {
  const version = table.byte(0) + 1;
  if (version < 4 || version > 5) throw new Error(`metadata of version ${version} (4 and 5 are read)`);
}

/** Throws unless all parts of a schema lie inside it, and its numbers are written as everybody writes them. */
export function checkSchema(schema: FlatTable): void {
  if (schema.byte(0) !== 0) throw new Error('numbers with their highest byte first');
  for (const field of schema.tables(1)) checkField(field);
  checkKeyValues(schema.tables(2));
}

function checkField(field: FlatTable): void {
  field.checkText(0);
  field.table(3); // its type
  field.table(4)?.table(1); // its dictionary and the type of indices
  for (const child of field.tables(5)) checkField(child);
  checkKeyValues(field.tables(6));
}

function checkKeyValues(pairs: FlatTable[]): void {
  for (const pair of pairs) for (const slot of [0, 1]) pair.checkText(slot);
}

/** An item takes at least one bit of the body, so that lengths beyond that are wrong. */
function checkBatch(batch: FlatTable | undefined, bodyBytes: number): void {
  if (!batch) throw new Error('a batch without a header');
  if (batch.table(3)) throw new Error("compressed buffers (compression='uncompressed' in Python and R avoids them)");
  const lengths = [batch.long(0), ...batch.longs(1, 2)];
  const wrong = lengths.find((length) => length < 0 || length > 8 * bodyBytes);
  if (wrong !== undefined) throw new Error(`a column of ${wrong} items in a body of ${bodyBytes} bytes`);
  const regions = batch.longs(2, 2);
  for (let i = 0; i < regions.length; i += 2) {
    const [offset, length] = [regions[i], regions[i + 1]];
    if (offset >= 0 && length >= 0 && offset + length <= bodyBytes) continue;
    throw new Error(`a buffer of ${length} bytes at ${offset} in a body of ${bodyBytes} bytes`);
  }
  const textBuffers = batch.longs(4).reduce((sum, count) => sum + Math.abs(count), 0);
  if (textBuffers > regions.length) throw new Error(`${textBuffers} buffers of text`);
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const startsWith = (bytes: Uint8Array, start: Buffer): boolean => start.equals(bytes.subarray(0, start.length));
