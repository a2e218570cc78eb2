// [coordinator] A request for predictions as JSON: samples with embeddings, or on shares the names of samples.
import { z } from 'zod';
import { F3Error } from '../../errors.ts';
import { MOST_SAMPLES } from '../../exchange/messages.ts';
import { parseWith } from '../requests/parse-with.ts';
import { floatValues } from './float-values.ts';

/** What is asked for. Without `graphs`, the model's sampled graphs count. */
export interface Batch {
  /** sample → owner → embedding */
  samples: Map<string, Map<string, Float32Array>>;
  graphs?: 'mean' | undefined;
}

/** `floatValues` checks the numbers inside. */
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
const jsonRequest = z.strictObject({
  samples: z
    .array(
      z.strictObject({ id: z.string().min(1).max(255), embeddings: z.custom<object>(isObject, 'must be an object') }),
    )
    .min(1)
    .max(MOST_SAMPLES),
  graphs: z.enum(['mean', 'sampled']).default('sampled'),
});

/** On shares samples are named, and owners may be left out. */
const sharedSchema = z.strictObject({
  samples: z
    .array(z.strictObject({ id: z.string().min(1).max(255) }))
    .min(1)
    .max(MOST_SAMPLES),
  without: z.array(z.string()).max(100_000).default([]),
  graphs: z.enum(['mean', 'sampled']).default('sampled'),
});

export function predictionRequest(body: unknown): Batch {
  const { samples, graphs } = parseWith(jsonRequest, body);
  const map = new Map(
    samples.map(({ id, embeddings }) => [
      id,
      new Map(
        Object.entries(embeddings).map(([owner, numbers]) => [owner, floatValues(numbers, `embedding of ${owner}`)]),
      ),
    ]),
  );
  const empty = samples.find(({ id }) => map.get(id)?.size === 0);
  if (empty) {
    throw new F3Error(
      'F3_REQUEST',
      `request: sample ${empty.id} must have the embedding of at least one owner, got none`,
    );
  }
  if (map.size !== samples.length) throw twice();
  return graphs === 'mean' ? { samples: map, graphs } : { samples: map };
}

export function sharedRequest(body: unknown): z.infer<typeof sharedSchema> {
  const named = isObject(body) ? (body as { samples?: unknown }).samples : undefined;
  if (Array.isArray(named) && named.some((one) => isObject(one) && 'embeddings' in (one as object))) {
    const rule = 'samples must be named, since their embeddings lie in shares';
    throw new F3Error('F3_SHARES_ONLY', `request: ${rule}, got embeddings`);
  }
  return parseWith(sharedSchema, body);
}

export const twice = (): F3Error => new F3Error('F3_REQUEST', 'request: sample ids must be different, got one twice');

export function requireSamples(count: number): void {
  if (count >= 1 && count <= MOST_SAMPLES) return;
  throw new F3Error('F3_REQUEST', `request: must ask for 1 to ${MOST_SAMPLES} samples, got ${count}`);
}
