// [coordinator] Predicts batches of samples with any subset of the owners, from JSON or Arrow.
import { z } from 'zod';
import { F3Error } from '../../errors.ts';
import { canonicalSampleId } from '../../exchange/bundle/canonical-time.ts';
import { decodePredictionTable } from '../../exchange/bundle/prediction-table.ts';
import { MOST_SAMPLES } from '../../exchange/messages.ts';
import type { Answer, SampleEmbeddings, ServedModel } from '../../infer/served-model.ts';
import type { TypedApp } from '../app.ts';
import { BODY_BYTES } from '../http/body-parsers.ts';
import { floatValues } from '../prediction/float-values.ts';
import type { ServerContext } from '../server-context.ts';
import { useNewestBundles } from '../shares/newest-bundles.ts';
import { federationParams } from './federations.ts';

const ASKERS = ['operator', 'labels'] as const;
const ARROW = 'application/vnd.apache.arrow';

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
const sharedRequest = z.strictObject({
  samples: z
    .array(z.strictObject({ id: z.string().min(1).max(255) }))
    .min(1)
    .max(MOST_SAMPLES),
  without: z.array(z.string()).default([]),
  graphs: z.enum(['mean', 'sampled']).default('sampled'),
});

export function addPredictions(app: TypedApp, context: ServerContext): void {
  const { models, shares, feed } = context;
  const options = {
    schema: { params: federationParams },
    bodyLimit: BODY_BYTES.content,
    config: { allow: ASKERS, allowsInferenceTokens: true, counted: 'prediction.made' as const },
  };
  app.post('/v1/federations/:federation/predict', options, async (request) => {
    const { federation } = request.params;
    if (await shares.isShared(federation)) return predictShared(context, federation, request.body);
    const isArrow = request.headers['content-type']?.startsWith(ARROW);
    const { samples, graphs } = isArrow ? fromArrow(request.rawBody) : fromJson(request.body);
    return models.ask(federation, graphs, async ({ version, model }) => {
      const began = Date.now();
      const predictions = await predictAll(model, samples);
      const latencyMs = Date.now() - began;
      const embeddingsOf = (place: number) => samples.get(predictions[place].sample) as SampleEmbeddings;
      feed.of(federation).publishBatch({ version, model, predictions, embeddingsOf, latencyMs });
      return { model: version, classes: model.card.classes, predictions };
    });
  });
}

/** The rows of the samples are looked up in the bundles that count; entities open their logits to us. */
async function predictShared({ store: { db }, models, feed }: ServerContext, federation: string, body: unknown) {
  if (
    isObject(body) &&
    (body as { samples?: unknown[] }).samples?.some?.((one) => isObject(one) && 'embeddings' in (one as object))
  ) {
    const rule = 'samples must be named, since their embeddings lie in shares';
    throw new F3Error('F3_SHARES_ONLY', `request: ${rule}, got embeddings`);
  }
  const { samples, without, graphs } = parsed(sharedRequest, body);
  const ids = samples.map(({ id }) => canonicalSampleId(id));
  if (new Set(ids).size !== ids.length) throw twice();
  return models.askShared(federation, graphs === 'mean' ? 'mean' : undefined, async ({ version, model }) => {
    const began = Date.now();
    await useNewestBundles(db, federation, model);
    const predictions = await Promise.all(
      samples.map(async ({ id: sample }, i) => ({ sample, ...(await model.predict({ id: ids[i], without })) })),
    );
    const [latencyMs, embeddingsOf] = [Date.now() - began, () => new Map()];
    feed.of(federation).publishBatch({ version, model, predictions, embeddingsOf, latencyMs });
    return { model: version, classes: model.card.classes, predictions };
  });
}

type Batch = { samples: Map<string, Map<string, Float32Array>>; graphs?: 'mean' };

function fromJson(body: unknown): Batch {
  const { samples, graphs } = parsed(jsonRequest, body);
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

function parsed<T>(schema: z.ZodType<T>, body: unknown): T {
  const { data, error } = schema.safeParse(body);
  if (data !== undefined) return data;
  const { path, message } = error?.issues[0] ?? { path: [], message: 'must be an object' };
  throw new F3Error('F3_REQUEST', `request: ${path.join('.') || 'body'} ${message}`);
}

const twice = (): F3Error => new F3Error('F3_REQUEST', 'request: sample ids must be different, got one twice');

function fromArrow(bytes: Uint8Array): Batch {
  const samples = decodePredictionTable(bytes);
  if (samples.size >= 1 && samples.size <= MOST_SAMPLES) return { samples };
  throw new F3Error('F3_REQUEST', `request: must ask for 1 to ${MOST_SAMPLES} samples, got ${samples.size}`);
}

function predictAll(
  model: ServedModel,
  samples: ReadonlyMap<string, SampleEmbeddings>,
): Promise<(Answer & { sample: string })[]> {
  return Promise.all(
    Array.from(samples, async ([sample, embeddings]) => ({ sample, ...(await model.predict(embeddings)) })),
  );
}
