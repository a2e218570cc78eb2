// [coordinator] Predicts batches of samples with any subset of the owners, from JSON or Arrow.
import { inSlices } from '../../base/in-slices.ts';
import { F3Error } from '../../errors.ts';
import { canonicalSampleId } from '../../exchange/bundle/canonical-time.ts';
import { decodePredictionTable } from '../../exchange/bundle/prediction-table.ts';
import type { Answer, SampleEmbeddings, ServedModel } from '../../infer/served-model.ts';
import type { TypedApp } from '../app.ts';
import { BODY_BYTES } from '../http/body-parsers.ts';
import { type FlatBatch, isFlatBatch, unflatten } from '../prediction/flat-batch.ts';
import {
  type Batch,
  predictionRequest,
  requireSamples,
  sharedRequest,
  twice,
} from '../prediction/prediction-request.ts';
import { writeAnswer } from '../prediction/write-answer.ts';
import { contentOf } from '../requests/read-body.ts';
import { askerOf, SMALL_BODY_BYTES } from '../requests/request-thread.ts';
import type { ServerContext } from '../server-context.ts';
import { useNewestBundles } from '../shares/newest-bundles.ts';
import { federationParams } from './federations.ts';

const ASKERS = ['operator', 'labels'] as const;
const ARROW = 'application/vnd.apache.arrow';
/** So many samples are handed to the model before other requests have their turn. */
const SLICE = 500;

export function addPredictions(app: TypedApp, context: ServerContext): void {
  const { models, shares, feed, requests } = context;
  const options = {
    schema: { params: federationParams },
    bodyLimit: BODY_BYTES.content,
    config: {
      allow: ASKERS,
      allowsInferenceTokens: true,
      counted: 'prediction.made' as const,
      reader: 'prediction' as const,
    },
  };
  app.post('/v1/federations/:federation/predict', options, async (request, reply) => {
    const { federation } = request.params;
    const read = contentOf(request.body);
    if (await shares.isShared(federation)) return predictShared(context, federation, read ?? request.body);
    const isArrow = request.headers['content-type']?.startsWith(ARROW) ?? false;
    const asked = isArrow ? await fromArrow(request.rawBody) : fromJson(read ?? request.body);
    return models.ask(federation, asked.graphs, async ({ version, model }) => {
      const began = Date.now();
      const samples = isFlatBatch(asked) ? await unflatten(asked, ownersOf(model)) : asked.samples;
      const predictions = await predictAll(model, samples);
      const latencyMs = Date.now() - began;
      const embeddingsOf = (place: number) => samples.get(predictions[place].sample) as SampleEmbeddings;
      feed.of(federation).publishBatch({ version, model, predictions, embeddingsOf, latencyMs });
      const text = await writeAnswer({ model: version, classes: model.card.classes }, 'predictions', predictions);
      return reply.type('application/json; charset=utf-8').send(text);
    });

    async function fromArrow(bytes: Uint8Array): Promise<Batch | FlatBatch> {
      if (bytes.length > SMALL_BODY_BYTES) {
        const { content } = await requests.read(askerOf(request), 'predictionTable', bytes);
        return content as FlatBatch;
      }
      const samples = decodePredictionTable(bytes);
      requireSamples(samples.size);
      return { samples };
    }
  });
}

/** A large body was read already, unless it names samples only, which is for shares. */
const fromJson = (body: unknown): Batch | FlatBatch => (isFlatBatch(body) ? body : predictionRequest(body));

const ownersOf = ({ card }: ServedModel): Set<string> => new Set(card.owners.map(({ owner }) => owner));

/** The rows of the samples are looked up in the bundles that count; entities open their logits to us. */
async function predictShared({ store: { db }, models, feed }: ServerContext, federation: string, body: unknown) {
  if (isFlatBatch(body)) {
    const rule = 'samples must be named, since their embeddings lie in shares';
    throw new F3Error('F3_SHARES_ONLY', `request: ${rule}, got embeddings`);
  }
  const { samples, without, graphs } = sharedRequest(body);
  const ids = samples.map(({ id }) => canonicalSampleId(id));
  if (new Set(ids).size !== ids.length) throw twice();
  return models.askShared(federation, graphs === 'mean' ? 'mean' : undefined, async ({ version, model }) => {
    const began = Date.now();
    await useNewestBundles(db, federation, model);
    const predictions = await inSlices(samples.entries(), SLICE, async ([i, { id: sample }]) => ({
      sample,
      ...(await model.predict({ id: ids[i], without })),
    }));
    const [latencyMs, embeddingsOf] = [Date.now() - began, () => new Map()];
    feed.of(federation).publishBatch({ version, model, predictions, embeddingsOf, latencyMs });
    return { model: version, classes: model.card.classes, predictions };
  });
}

const predictAll = (
  model: ServedModel,
  samples: ReadonlyMap<string, SampleEmbeddings>,
): Promise<(Answer & { sample: string })[]> =>
  inSlices(samples, SLICE, async ([sample, embeddings]) => ({ sample, ...(await model.predict(embeddings)) }));
