// [coordinator] A large batch of samples, read in a thread: a few long arrays, which another thread takes over at once, instead of a
// million small objects.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { F3Error } from '../../errors.ts';
import { decodePredictionTable } from '../../exchange/bundle/prediction-table.ts';
import { requireModest } from '../requests/require-modest.ts';
import { type Batch, predictionRequest, requireSamples } from './prediction-request.ts';

export interface FlatBatch {
  ids: string[];
  /** Names that occur. */
  owners: string[];
  /** [sample] how many embeddings each has. */
  counts: Uint32Array;
  /** [embedding] whose it is, as a place in `owners`. */
  owner: Uint32Array;
  /** [embedding] how many numbers it has. */
  widths: Uint32Array;
  values: Float32Array;
  graphs: 'mean' | undefined;
}

/** No model has more. */
const MOST_OWNERS = 10_000;
/** So many embeddings are put in place before other requests have their turn. */
const SLICE = 5000;

export const isFlatBatch = (content: unknown): content is FlatBatch => isObject(content) && 'widths' in content;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A request that names samples without embeddings is for shares, and given back as it is. */
export function flattenJson(body: unknown): FlatBatch | unknown {
  const samples = isObject(body) ? body.samples : undefined;
  const isNamed = Array.isArray(samples) && samples.every((sample) => isObject(sample) && !('embeddings' in sample));
  if (!isObject(body) || !Array.isArray(samples) || isNamed) return requireModest(body);
  requireSamples(samples.length);
  return flatten(predictionRequest(body));
}

export function flattenArrow(bytes: Uint8Array): FlatBatch {
  const samples = decodePredictionTable(bytes);
  requireSamples(samples.size);
  return flatten({ samples });
}

function flatten({ samples, graphs }: Batch): FlatBatch {
  const places = new Map<string, number>();
  const [owner, widths]: number[][] = [[], []];
  let size = 0;
  for (const embeddings of samples.values()) {
    for (const [name, numbers] of embeddings) {
      const place = places.get(name) ?? places.size;
      if (place === MOST_OWNERS) {
        throw new F3Error('F3_REQUEST', `request: must name at most ${MOST_OWNERS} owners, got more`);
      }
      places.set(name, place);
      owner.push(place);
      widths.push(numbers.length);
      size += numbers.length;
    }
  }
  const values = new Float32Array(size);
  let at = 0;
  for (const embeddings of samples.values()) {
    for (const numbers of embeddings.values()) {
      values.set(numbers, at);
      at += numbers.length;
    }
  }
  return {
    ids: [...samples.keys()],
    owners: [...places.keys()],
    counts: Uint32Array.from(samples.values(), (embeddings) => embeddings.size),
    owner: Uint32Array.from(owner),
    widths: Uint32Array.from(widths),
    values,
    graphs,
  };
}

/** Puts a batch together again, a few embeddings at a time. `known` are the owners of the model: others are refused first. */
export async function unflatten(flat: FlatBatch, known: ReadonlySet<string>): Promise<Batch['samples']> {
  const stranger = flat.owners.find((owner) => !known.has(owner));
  if (stranger !== undefined) {
    throw new F3Error('F3_FUSE_OWNER', `embeddings: must be of owners of the model, got ${stranger.slice(0, 255)}`);
  }
  const samples: Batch['samples'] = new Map();
  let [row, at, pause] = [0, 0, SLICE];
  for (const [s, id] of flat.ids.entries()) {
    const embeddings = new Map<string, Float32Array>();
    for (const end = row + flat.counts[s]; row < end; row++) {
      embeddings.set(flat.owners[flat.owner[row]], flat.values.subarray(at, at + flat.widths[row]));
      at += flat.widths[row];
    }
    samples.set(id, embeddings);
    if (row < pause) continue;
    pause = row + SLICE;
    await nextTurn();
  }
  return samples;
}
