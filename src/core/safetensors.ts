// Weights on disk: the safetensors format (8-byte header length, JSON header, raw little-endian numbers).
import { CoreError } from './errors.ts';

/** A tensor of a file, row after row. */
export interface StoredTensor {
  shape: number[];
  values: Float32Array;
}

/** What a safetensors file holds. */
export interface Safetensors {
  tensors: Record<string, StoredTensor>;
  /** Values are text, as the format demands. */
  metadata: Record<string, string>;
}

interface HeaderEntry {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

const MAX_HEADER = 100_000_000;

/** Tensors and metadata as the bytes of a safetensors file. */
export function encodeSafetensors({ tensors, metadata }: Safetensors): Uint8Array<ArrayBuffer> {
  const header: Record<string, unknown> = { __metadata__: metadata };
  let offset = 0;
  for (const [name, { shape, values }] of Object.entries(tensors)) {
    header[name] = { dtype: 'F32', shape, data_offsets: [offset, offset + values.byteLength] };
    offset += values.byteLength;
  }
  // Spaces bring the numbers to a multiple of eight bytes, as the reference writer does.
  const json = new TextEncoder().encode(JSON.stringify(header));
  const padded = Math.ceil(json.length / 8) * 8;
  const bytes = new Uint8Array(8 + padded + offset).fill(0x20, 8 + json.length, 8 + padded);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(padded), true);
  bytes.set(json, 8);
  let at = 8 + padded;
  for (const { values } of Object.values(tensors)) {
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    at += values.byteLength;
  }
  return bytes;
}

/** `name` is the file name that error messages show. */
export function decodeSafetensors(bytes: Uint8Array, name = 'safetensors'): Safetensors {
  const broken = (rule: string, value: unknown) =>
    new CoreError('F3_SAFETENSORS', `${name}: ${rule}, got ${String(value)}`);
  if (bytes.length < 8) throw broken('a safetensors file must have at least 8 bytes', bytes.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headerLength = Number(view.getBigUint64(0, true));
  if (headerLength > Math.min(MAX_HEADER, bytes.length - 8)) {
    throw broken(`the header must fit into the file's ${bytes.length} bytes`, headerLength);
  }
  const header = parseHeader(bytes.subarray(8, 8 + headerLength), broken);
  const { __metadata__: metadata = {}, ...entries } = header;
  const data = bytes.subarray(8 + headerLength);
  const tensors: Record<string, StoredTensor> = {};
  for (const [tensor, entry] of Object.entries(entries as Record<string, HeaderEntry>)) {
    if (entry.dtype !== 'F32') throw broken(`tensor ${tensor} must be F32`, entry.dtype);
    const [start, end] = entry.data_offsets;
    const size = entry.shape.reduce((product, length) => product * length, 1);
    if (!(start >= 0 && end <= data.length && end - start === size * 4)) {
      throw broken(`tensor ${tensor} must span ${size * 4} of the ${data.length} data bytes`, `${start} to ${end}`);
    }
    // The bytes need not be aligned to four, so they are copied; `slice` would not copy a Buffer.
    tensors[tensor] = {
      shape: entry.shape,
      values: new Float32Array(Uint8Array.from(data.subarray(start, end)).buffer),
    };
  }
  return { tensors, metadata: metadata as Record<string, string> };
}

function parseHeader(bytes: Uint8Array, broken: (rule: string, value: unknown) => CoreError): Record<string, unknown> {
  const text = new TextDecoder().decode(bytes);
  try {
    const header: unknown = JSON.parse(text);
    if (typeof header === 'object' && header !== null) return header as Record<string, unknown>;
  } catch {
    // Text that is no JSON gets the same message as JSON that is no object.
  }
  throw broken('the header must be a JSON object', text.slice(0, 40));
}
