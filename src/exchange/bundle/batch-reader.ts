// [wire] Reads the columns of a bundle from one record batch while it streams, a few hundred kilobytes at a time.
import { isAscii } from 'node:buffer';
import { F3Error } from '../../errors.ts';
import { type BundleColumns, type FloatColumnPlace, type IdColumnPlace, UnusualLayout } from './bundle-columns.ts';
import type { ByteStream } from './byte-stream.ts';
import type { FlatTable } from './flat-table.ts';
import { MAX_ID_BYTES } from './sample-ids.ts';

/** Bytes that are looked at in one go. */
const PIECE_BYTES = 256 * 1024;

export interface BatchListener {
  /** Ids as they were written, in their order. */
  onId(id: string): void;
  /** `values`: [row, width], whole rows */
  onEmbeddings(values: Float32Array): void;
  onProbabilities(values: Float32Array): void;
}

interface Region {
  offset: number;
  length: number;
}

type Reader = (region: Region) => Promise<void>;

/** Reads the body of a batch, which begins where `stream` stands, and leaves `stream` behind it. */
export async function readBatch(
  stream: ByteStream,
  header: FlatTable,
  bodyBytes: number,
  columns: BundleColumns,
  name: string,
  listener: BatchListener,
): Promise<void> {
  const { rows, regions, nodes } = batchParts(header, columns);
  const start = stream.position;
  const readers = new Map<number, Reader>();
  for (const column of ['ids', 'embedding', 'probabilities'] as const) {
    const place = columns[column];
    if (!place) continue;
    requireNode(nodes, place.node, rows, column === 'ids' ? 'sample' : column, name);
    if ('width' in place) {
      requireNode(nodes, place.node + 1, rows * place.width, column, name);
      const onValues = column === 'embedding' ? listener.onEmbeddings : listener.onProbabilities;
      readers.set(place.buffer + 2, floatReader(stream, rows, place, onValues.bind(listener)));
    } else addIdReaders(readers, stream, rows, place, name, listener);
  }
  for (const [buffer, region] of regions.entries()) {
    const read = readers.get(buffer);
    if (!read) continue;
    // An empty buffer may lie anywhere.
    if (region.length > 0) await stream.skip(start + region.offset - stream.position);
    await read(region);
  }
  await stream.skip(start + bodyBytes - stream.position);
}

function batchParts(header: FlatTable, columns: BundleColumns) {
  const rows = header.long(0);
  const [nodes, places] = [header.longs(1, 2), header.longs(2, 2)];
  if (nodes.length !== 2 * columns.nodes || places.length !== 2 * columns.buffers) {
    throw new UnusualLayout(`a batch of ${nodes.length / 2} nodes and ${places.length / 2} buffers`);
  }
  const regions: Region[] = [];
  let end = 0;
  for (let i = 0; i < places.length; i += 2) {
    const [offset, length] = [places[i], places[i + 1]];
    // Writers put buffers one behind the other. What overlaps or runs backwards cannot be read in one go.
    if (length > 0 && offset < end)
      throw new UnusualLayout(`a buffer at ${offset} before the end of another at ${end}`);
    if (length > 0) end = offset + length;
    regions.push({ offset, length });
  }
  return { rows, nodes, regions };
}

function requireNode(nodes: number[], node: number, length: number, column: string, name: string): void {
  const [found, nulls] = [nodes[2 * node], nodes[2 * node + 1]];
  if (found !== length) {
    throw new F3Error(
      'F3_BUNDLE_COUNT',
      `${name}: column ${column} must have ${length} values in its batch, got ${found}`,
    );
  }
  if (nulls === 0) return;
  throw new F3Error('F3_BUNDLE_COLUMN', `${name}: column ${column} must have no nulls, got ${nulls}`);
}

function requireLength({ length }: Region, needed: number): void {
  if (length < needed) throw new Error(`a buffer of ${length} bytes where ${needed} are needed`);
}

function floatReader(
  stream: ByteStream,
  rows: number,
  { width }: FloatColumnPlace,
  onValues: (values: Float32Array) => void,
): Reader {
  return async (region) => {
    requireLength(region, 4 * rows * width);
    const most = Math.max(1, Math.floor(PIECE_BYTES / (4 * width)));
    for (let row = 0; row < rows; row += most) {
      const count = Math.min(most, rows - row);
      onValues(new Float32Array((await stream.take(4 * width * count)).buffer));
    }
  };
}

function addIdReaders(
  readers: Map<number, Reader>,
  stream: ByteStream,
  rows: number,
  { buffer, bytes, isText, isSigned }: IdColumnPlace,
  name: string,
  listener: BatchListener,
): void {
  if (!isText) {
    readers.set(buffer + 1, async (region) => {
      requireLength(region, bytes * rows);
      const most = PIECE_BYTES / bytes;
      for (let row = 0; row < rows; row += most) {
        const piece = await stream.take(bytes * Math.min(most, rows - row));
        for (const value of integersOf(piece, bytes, isSigned)) listener.onId(String(value));
      }
    });
    return;
  }
  let offsets = new Float64Array(1);
  readers.set(buffer + 1, async (region) => {
    if (rows === 0) return;
    requireLength(region, bytes * (rows + 1));
    offsets = await readOffsets(stream, rows + 1, bytes);
    checkOffsets(offsets, name);
  });
  readers.set(buffer + 2, async (region) => {
    requireLength(region, offsets[offsets.length - 1]);
    await readTexts(stream, offsets, listener);
  });
}

async function readOffsets(stream: ByteStream, count: number, bytes: number): Promise<Float64Array<ArrayBuffer>> {
  const offsets = new Float64Array(count);
  const most = PIECE_BYTES / bytes;
  for (let at = 0; at < count; at += most) {
    const piece = await stream.take(bytes * Math.min(most, count - at));
    let place = at;
    for (const offset of integersOf(piece, bytes, true)) offsets[place++] = Number(offset);
  }
  return offsets;
}

function checkOffsets(offsets: Float64Array, name: string): void {
  let last = 0;
  for (let row = 0; row < offsets.length; row++) {
    const next = offsets[row];
    if (!(next >= last)) {
      const rule = 'column sample must have ascending offsets';
      throw new F3Error('F3_BUNDLE_FORMAT', `${name}: ${rule}, got ${next} (row ${row})`);
    }
    if (row > 0 && next - last > MAX_ID_BYTES) {
      const rule = `sample id must be at most ${MAX_ID_BYTES} bytes of UTF-8`;
      throw new F3Error('F3_BUNDLE_ID', `${name}: ${rule}, got ${next - last} (row ${row})`);
    }
    last = next;
  }
}

/** Reads as many ids at a time as fit into a piece, and decodes those in one go if they are ASCII, which most are. */
async function readTexts(stream: ByteStream, offsets: Float64Array, listener: BatchListener): Promise<void> {
  const rows = offsets.length - 1;
  await stream.skip(offsets[0]);
  for (let row = 0; row < rows; ) {
    const start = offsets[row];
    let end = row + 1;
    while (end < rows && offsets[end + 1] - start <= PIECE_BYTES) end++;
    const piece = Buffer.from((await stream.take(offsets[end] - start)).buffer);
    const all = isAscii(piece) ? piece.toString('latin1') : undefined;
    for (; row < end; row++) {
      const [from, to] = [offsets[row] - start, offsets[row + 1] - start];
      listener.onId(all?.slice(from, to) ?? piece.toString('utf8', from, to));
    }
  }
}

function integersOf({ buffer }: Uint8Array<ArrayBuffer>, bytes: number, isSigned: boolean): Iterable<number | bigint> {
  switch (bytes) {
    case 1:
      return isSigned ? new Int8Array(buffer) : new Uint8Array(buffer);
    case 2:
      return isSigned ? new Int16Array(buffer) : new Uint16Array(buffer);
    case 4:
      return isSigned ? new Int32Array(buffer) : new Uint32Array(buffer);
    default:
      return isSigned ? new BigInt64Array(buffer) : new BigUint64Array(buffer);
  }
}
