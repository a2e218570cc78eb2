// [wire] Predicts any number of samples in as many requests as it takes, all answered by one model.
import { F3Error } from '../../errors.ts';
import { MOST_SAMPLES, type PredictionAnswer, type PredictionRequest } from '../messages.ts';
import type { CoordinatorClient } from './coordinator-client.ts';

/** sample → owner → embedding */
export type SampleBatch = ReadonlyMap<string, ReadonlyMap<string, ArrayLike<number>>>;

/** How to predict many samples. */
export interface PredictSamplesOptions extends Pick<PredictionRequest, 'graphs'> {
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** The most letters of a body, below the 8 MiB that a request may have. Letters are bytes, because numbers are ASCII. */
const BODY_LETTERS = 4 * 2 ** 20;

/** Samples of a request about shares: entities take them 256 at a time, and each request must end within a minute. */
const SHARED_AT_ONCE = 1024;

/** Predicts any number of samples, in as many requests as they need; one model must answer them all. */
export async function predictSamples(
  client: CoordinatorClient,
  federation: string,
  samples: SampleBatch,
  { graphs = 'sampled', onProgress }: PredictSamplesOptions = {},
): Promise<PredictionAnswer> {
  const requests = (function* () {
    for (const batch of requestBatches(samples)) yield { samples: batch, graphs };
  })();
  return predictInTurn(client, federation, requests, samples.size, onProgress);
}

/** Predicts samples that owners have sent in shares, by their ids; `without` leaves owners out. */
export async function predictShared(
  client: CoordinatorClient,
  federation: string,
  ids: readonly string[],
  { graphs = 'sampled', without = [], onProgress }: PredictSamplesOptions & { without?: readonly string[] } = {},
): Promise<PredictionAnswer> {
  const requests = (function* () {
    for (let start = 0; start < ids.length; start += SHARED_AT_ONCE) {
      const samples = ids.slice(start, start + SHARED_AT_ONCE).map((id) => ({ id }));
      yield { samples, graphs, ...(without.length > 0 && { without }) };
    }
  })();
  return predictInTurn(client, federation, requests, ids.length, onProgress);
}

async function predictInTurn(
  client: CoordinatorClient,
  federation: string,
  requests: Iterable<PredictionRequest>,
  total: number,
  onProgress: PredictSamplesOptions['onProgress'],
): Promise<PredictionAnswer> {
  let whole: PredictionAnswer | undefined;
  for (const request of requests) {
    const answer = await client.predict(federation, request);
    if (whole && answer.model !== whole.model) {
      const rule = 'one model must answer all samples';
      throw new F3Error('F3_CLIENT_RESPONSE', `predictions: ${rule}, got model ${answer.model} after ${whole.model}`);
    }
    whole ??= { ...answer, predictions: [] };
    for (const prediction of answer.predictions) whole.predictions.push(prediction);
    onProgress?.(whole.predictions.length, total);
  }
  if (whole) return whole;
  throw new F3Error('F3_ARGUMENT', 'samples: must be at least one, got none');
}

/** Cuts the samples, in their order, into batches that are small enough for a request; one that is too large goes alone. */
function* requestBatches(samples: SampleBatch): Generator<PredictionRequest['samples']> {
  let batch: PredictionRequest['samples'] = [];
  let letters = 0;
  for (const [id, owners] of samples) {
    const embeddings = Object.fromEntries(Array.from(owners, ([owner, numbers]) => [owner, Array.from(numbers)]));
    const size = JSON.stringify({ id, embeddings }).length;
    if (batch.length === MOST_SAMPLES || (batch.length > 0 && letters + size > BODY_LETTERS)) {
      yield batch;
      [batch, letters] = [[], 0];
    }
    batch.push({ id, embeddings });
    letters += size;
  }
  if (batch.length > 0) yield batch;
}
