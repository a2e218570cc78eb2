// [coordinator] Predictions for batches, with any subset of the owners: JSON, Arrow, or the Open Inference Protocol.
import { z } from 'zod';
import { decodeArrow, readFloatLists, readTexts } from '../../arrow-table.ts';
import { F3Error } from '../../errors.ts';
import type { Answer, SampleEmbeddings, ServedModel } from '../../infer/served-model.ts';
import type { TypedApp } from '../app.ts';
import type { ServerContext } from '../server-context.ts';
import { federationParams } from './federations.ts';

const ASKERS = ['operator', 'labels'] as const;
const MOST_SAMPLES = 10_000;
const ARROW = 'application/vnd.apache.arrow';

const jsonRequest = z.strictObject({
  samples: z
    .array(z.strictObject({ id: z.string().min(1).max(255), embeddings: z.record(z.string(), z.array(z.number())) }))
    .min(1)
    .max(MOST_SAMPLES),
  graphs: z.enum(['mean', 'sampled']).default('sampled'),
});

export function addPredictions(app: TypedApp, { models }: ServerContext): void {
  const options = { schema: { params: federationParams }, config: { allow: ASKERS } };
  app.post('/v1/federations/:federation/predict', options, async (request) => {
    const { federation } = request.params;
    const isArrow = request.headers['content-type']?.startsWith(ARROW);
    const { samples, graphs } = isArrow ? fromArrow(request.rawBody) : fromJson(request.body);
    const { version, model } = await models.active(federation, graphs);
    const answers = await predictAll(model, samples);
    return { model: version, classes: model.card.classes, predictions: answers };
  });
}

type Batch = { samples: Map<string, Map<string, Float32Array>>; graphs?: 'mean' };

function fromJson(body: unknown): Batch {
  const parsed = jsonRequest.safeParse(body);
  if (!parsed.success) {
    const [{ path, message }] = parsed.error.issues;
    throw new F3Error('F3_REQUEST', `request: ${path.join('.') || 'body'} ${message}`);
  }
  const { samples, graphs } = parsed.data;
  const map = new Map(
    samples.map(({ id, embeddings }) => [
      id,
      new Map(Object.entries(embeddings).map(([owner, numbers]) => [owner, Float32Array.from(numbers)])),
    ]),
  );
  if (map.size !== samples.length)
    throw new F3Error('F3_REQUEST', 'request: sample ids must be different, got one twice');
  return graphs === 'mean' ? { samples: map, graphs } : { samples: map };
}

/** Columns sample, owner and embedding; one row per owner and sample. */
function fromArrow(bytes: Uint8Array): Batch {
  const table = parse(bytes);
  const [samples, owners] = [readTexts(table, 'sample'), readTexts(table, 'owner')];
  const embeddings = readFloatLists(table, 'embedding');
  if (!samples || !owners || !embeddings) {
    const rule = 'must have columns sample and owner of text and embedding of fixed-size float32 lists';
    throw new F3Error('F3_BUNDLE_COLUMN', `prediction request: ${rule}, got ${table.schema.names.join(', ')}`);
  }
  const batch = new Map<string, Map<string, Float32Array>>();
  const { values, width } = embeddings;
  samples.forEach((sample, row) => {
    const own = batch.get(sample) ?? new Map<string, Float32Array>();
    own.set(owners[row], values.slice(row * width, (row + 1) * width));
    batch.set(sample, own);
  });
  if (batch.size >= 1 && batch.size <= MOST_SAMPLES) return { samples: batch };
  throw new F3Error('F3_REQUEST', `request: must ask for 1 to ${MOST_SAMPLES} samples, got ${batch.size}`);
}

function parse(bytes: Uint8Array) {
  try {
    return decodeArrow(bytes);
  } catch (cause) {
    throw new F3Error('F3_BUNDLE_FORMAT', 'prediction request: must be an Arrow stream or file, got something else', {
      cause,
    });
  }
}

export function predictAll(
  model: ServedModel,
  samples: ReadonlyMap<string, SampleEmbeddings>,
): Promise<(Answer & { sample: string })[]> {
  return Promise.all(
    Array.from(samples, async ([sample, embeddings]) => ({ sample, ...(await model.predict(embeddings)) })),
  );
}
