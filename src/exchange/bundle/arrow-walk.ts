// [wire] Walks through the messages of an Arrow file or stream as it comes, without holding more than one message's metadata.
import { RecordBatchReader, type Schema } from 'apache-arrow';
import { decodeArrow } from '../../base/arrow-table.ts';
import { BATCH, checkSchema, checkVersion, isArrowFile, MAGIC, readMessage, SCHEMA } from './arrow-messages.ts';
import { UnusualLayout } from './bundle-columns.ts';
import { ByteStream } from './byte-stream.ts';
import { FlatTable } from './flat-table.ts';

/** A schema of hundreds of columns has a few hundred kilobytes. */
const MOST_METADATA = 2 ** 20;
/** A footer lists all batches, with 24 bytes each. */
const MOST_FOOTER = 4 * 2 ** 20;
const PREFIX = 8;
const END = new Uint8Array([255, 255, 255, 255, 0, 0, 0, 0]);
/** Length of the footer, and the magic. */
const TAIL = 4 + MAGIC.length;

/** Gives the bytes of an input from `start`, by default from their beginning. Readings follow each other. */
export type BytesFrom = (start?: number) => AsyncIterable<Uint8Array>;

export interface ArrowListener {
  onSchema(schema: Schema): void;
  /** Reads the whole body of a batch, which begins where `stream` stands. */
  onBatch(stream: ByteStream, header: FlatTable, bodyBytes: number): Promise<void>;
}

/** `size` is the length of the whole input. Throws what is wrong with it, as plain errors or with a code. */
export async function walkArrow(bytes: BytesFrom, size: number, name: string, listener: ArrowListener): Promise<void> {
  const footer = await readFooter(bytes, size);
  const stream = new ByteStream(bytes());
  const start = await stream.take(Math.min(PREFIX, size));
  const isFile = isArrowFile(start, name);
  if (isFile !== (footer !== undefined)) {
    throw new Error(`${isFile ? 'a file' : 'a stream'} that does not end with its closing mark`);
  }
  if (footer) await walkFile(stream, footer, listener);
  else await walkStream(stream, start, size, listener);
}

interface Footer {
  schema: Schema;
  /** Where the footer begins. */
  start: number;
  /** Where batches begin, and how long their bodies are. */
  batches: { at: number; bodyBytes: number }[];
}

/** Readers of a file follow its footer. Undefined where the input does not end as files do. */
async function readFooter(bytes: BytesFrom, size: number): Promise<Footer | undefined> {
  if (size < PREFIX + TAIL) return undefined;
  const tail = await new ByteStream(bytes(size - TAIL)).take(TAIL);
  if (!MAGIC.equals(tail.subarray(4))) return undefined;
  const length = new DataView(tail.buffer).getInt32(0, true);
  if (length < 0 || length > Math.min(MOST_FOOTER, size - PREFIX - TAIL))
    throw new Error(`a footer of ${length} bytes`);
  const content = await new ByteStream(bytes(size - TAIL - length)).take(length + TAIL);
  const footer = FlatTable.root(content.subarray(0, length));
  checkVersion(footer);
  const schema = footer.table(1);
  if (!schema) throw new Error('a footer without a schema');
  checkSchema(schema);
  if (footer.longs(2, 3).length > 0) throw new UnusualLayout('a dictionary');
  const blocks = footer.longs(3, 3);
  const batches = Array.from({ length: blocks.length / 3 }, (_, i) => ({
    at: blocks[3 * i],
    bodyBytes: blocks[3 * i + 2],
  }));
  const head = Buffer.concat([MAGIC, new Uint8Array(PREFIX - MAGIC.length)]);
  return {
    schema: RecordBatchReader.from(Buffer.concat([head, content])).open().schema,
    start: size - TAIL - length,
    batches,
  };
}

async function walkFile(
  stream: ByteStream,
  { schema, start, batches }: Footer,
  listener: ArrowListener,
): Promise<void> {
  listener.onSchema(schema);
  for (const { at, bodyBytes: stated } of batches) {
    if (at < stream.position) throw new UnusualLayout(`a batch at byte ${at} before the end of another`);
    if (at > start) throw new Error(`a batch at byte ${at}, in the footer`);
    await stream.skip(at - stream.position);
    const metadata = await readMetadata(stream, await stream.take(PREFIX));
    if (!metadata) throw new Error(`no message at byte ${at}`);
    const { header, bodyBytes } = readMessage(metadata, stream.position, start, [BATCH]);
    if (bodyBytes !== stated) throw new UnusualLayout(`a body of ${bodyBytes} bytes that its footer gives ${stated}`);
    await listener.onBatch(stream, header, bodyBytes);
  }
}

async function walkStream(
  stream: ByteStream,
  start: Uint8Array<ArrayBuffer>,
  size: number,
  listener: ArrowListener,
): Promise<void> {
  let hasSchema = false;
  for (let prefix = start; ; prefix = await stream.take(PREFIX)) {
    const at = stream.position - PREFIX;
    const metadata = await readMetadata(stream, prefix);
    if (!metadata) break;
    const { type, header, bodyBytes } = readMessage(metadata, stream.position, size);
    if ((type === SCHEMA) === hasSchema) throw new Error(`a message of type ${type} out of place at byte ${at}`);
    if (type === SCHEMA) {
      listener.onSchema(decodeArrow(Buffer.concat([prefix, metadata, END])).schema);
      await stream.skip(bodyBytes);
      hasSchema = true;
    } else if (type === BATCH) await listener.onBatch(stream, header, bodyBytes);
    else throw new UnusualLayout('a dictionary');
  }
  if (!hasSchema) throw new Error('no schema');
  if (stream.position !== size) throw new Error(`${size - stream.position} bytes after its end`);
}

/** Undefined at the end of a stream. */
async function readMetadata(
  stream: ByteStream,
  prefix: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const at = stream.position - PREFIX;
  const view = new DataView(prefix.buffer);
  const length = view.getInt32(4, true);
  if (view.getInt32(0, true) !== -1) throw new Error(`no message at byte ${at}`);
  if (length === 0) return undefined;
  if (length < 0 || length > MOST_METADATA) throw new Error(`a message of ${length} bytes at byte ${at}`);
  return stream.take(length);
}
