// [owner] Reads an ONNX file and the files of weights it refers to (large exports keep them apart), and hashes them.

import { dirname, isAbsolute, join, normalize } from 'node:path';
import { readBytes } from '../../base/read-file.ts';
import { sha256 } from '../../base/sha256.ts';
import { F3Error } from '../../errors.ts';

export interface OnnxFile {
  bytes: Uint8Array;
  /** Files of weights, by the paths that the graph gives them. */
  weights: { path: string; data: Uint8Array }[];
  /** SHA-256 of the file and of its weights, in the order the graph names them. */
  hash: string;
}

export async function readOnnxFile(file: string): Promise<OnnxFile> {
  const bytes = await read(file);
  const weights: OnnxFile['weights'] = [];
  for (const path of weightPaths(file, bytes)) weights.push({ path, data: await read(join(dirname(file), path)) });
  return { bytes, weights, hash: sha256(bytes, ...weights.map(({ data }) => data)) };
}

async function read(file: string): Promise<Uint8Array> {
  return await readBytes(file).catch((cause: Error) => {
    throw new F3Error('F3_ONNX_UNREADABLE', cause.message, { cause });
  });
}

// Field numbers of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
const MODEL_GRAPH = 7;
const GRAPH_INITIALIZER = 5;
const TENSOR_EXTERNAL_DATA = 13;
const ENTRY_KEY = 1;
const ENTRY_VALUE = 2;

/** The graph decides which files are read, so it may only name files beside the model. */
function weightPaths(file: string, model: Uint8Array): Set<string> {
  const paths = new Set<string>();
  for (const graph of parts(file, model, MODEL_GRAPH)) {
    for (const tensor of parts(file, graph, GRAPH_INITIALIZER)) {
      for (const entry of parts(file, tensor, TENSOR_EXTERNAL_DATA)) {
        const [key, value] = [ENTRY_KEY, ENTRY_VALUE].map((field) => text(parts(file, entry, field).next().value));
        if (key === 'location') paths.add(value);
      }
    }
  }
  for (const path of paths) {
    if (!isAbsolute(path) && !normalize(path).startsWith('..')) continue;
    throw new F3Error('F3_ONNX_UNREADABLE', `${file}: its weights must lie in the folder of the model, got ${path}`);
  }
  return paths;
}

const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('utf8');

/** The length-delimited fields of a protobuf message with this number. */
function* parts(file: string, message: Uint8Array, wanted: number): Generator<Uint8Array, undefined> {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = message[at++];
      if (byte === undefined) throw notOnnx(file);
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const [field, wire] = [Math.floor(tag / 8), tag % 8];
    if (wire === 0) varint();
    else if (wire === 1) at += 8;
    else if (wire === 5) at += 4;
    else if (wire === 2) {
      const end = varint() + at;
      if (field === wanted) yield message.subarray(at, end);
      at = end;
    } else throw notOnnx(file);
    if (at > message.length) throw notOnnx(file);
  }
}

function notOnnx(file: string): F3Error {
  return new F3Error('F3_ONNX_UNREADABLE', `${file}: must be an ONNX model, got something else or a truncated file`);
}
