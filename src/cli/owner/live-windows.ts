// [owner] Reads windows to stream from an owner's folder, or from JSON lines {sample, window}.
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { readOwnerFolder } from '../../data/dataset/owner-folder.ts';
import { F3Error } from '../../errors.ts';
import { canonicalSampleId, canonicalSampleIds } from '../../exchange/bundle/canonical-time.ts';

export interface LiveWindow {
  sample: string;
  /** [time, variate] */
  window: Float32Array;
}

/** A line that does not hold a window. */
export interface RefusedLine {
  /** Null if the line names no sample. */
  sample: string | null;
  error: F3Error;
}

/** Yields all of an owner's windows, or those of `samples` in their order. */
export async function* folderWindows(folder: string, samples?: readonly string[]): AsyncGenerator<LiveWindow> {
  const owner = await readOwnerFolder(folder);
  const size = owner.length * owner.variates.length;
  const rows = new Map(owner.samples.map((sample, row) => [sample, row]));
  for (const sample of samples ?? owner.samples) {
    const row = rows.get(canonicalSampleId(sample));
    if (row === undefined) throw new F3Error('F3_STREAM_WINDOW', `sample ${sample}: must be in ${folder}, got none`);
    yield { sample, window: owner.windows.subarray(row * size, (row + 1) * size) };
  }
}

/** A faulty line from a sensor must not end the stream, so it is reported in its place. */
export async function* lineWindows(
  input: Readable,
  samples?: readonly string[],
): AsyncGenerator<LiveWindow | RefusedLine> {
  const wanted = samples && new Set(canonicalSampleIds(samples));
  let number = 0;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    if (line.trim() === '') continue;
    const read = readLine(line, number);
    if (!wanted || read.sample === null || wanted.has(canonicalSampleId(read.sample))) yield read;
  }
}

function readLine(line: string, number: number): LiveWindow | RefusedLine {
  const { sample, window } = parse(line);
  const isSample = typeof sample === 'string' && sample !== '';
  if (isSample && Array.isArray(window) && window.every((value) => typeof value === 'number')) {
    return { sample, window: Float32Array.from(window) };
  }
  const rule = `line ${number} must be {"sample": "id", "window": [numbers]}`;
  const error = new F3Error('F3_STREAM_WINDOW', `stdin: ${rule}, got ${line.slice(0, 80)}`);
  return { sample: isSample ? sample : null, error };
}

function parse(line: string): { sample?: unknown; window?: unknown } {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}
