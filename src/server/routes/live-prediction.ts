// [coordinator] Predicts live: owners post their embeddings of a sample and are answered when enough of them have.
import { z } from 'zod';
import { canonicalSampleId } from '../../exchange/bundle/canonical-time.ts';
import { LONGEST_DEADLINE_MS } from '../../exchange/messages.ts';
import { isPlainText, PLAIN_TEXT_RULE } from '../../exchange/plain-text.ts';
import type { ServedModel } from '../../infer/served-model.ts';
import type { TypedApp } from '../app.ts';
import { BODY_BYTES } from '../http/body-parsers.ts';
import { LiveSamples } from '../prediction/live-samples.ts';
import { LiveWaiting } from '../prediction/live-waiting.ts';
import type { ServerContext } from '../server-context.ts';
import { federationParams } from './federations.ts';

const OWNERS = ['owner'] as const;
const DEADLINE_MS = 10_000;

export const sampleParams = federationParams.extend({
  sample: z.string().min(1).max(255).refine(isPlainText, PLAIN_TEXT_RULE),
});
const body = z.strictObject({
  embedding: z.array(z.number()).min(1).max(100_000),
  quorum: z.number().int().min(1).optional(),
  deadlineMs: z.number().int().min(0).max(LONGEST_DEADLINE_MS).default(DEADLINE_MS),
});

export function addLivePrediction(app: TypedApp, { store, directory, models, feed }: ServerContext): void {
  // Which version a model is, for those who watch.
  const versions = new WeakMap<ServedModel, number>();
  const live = new LiveSamples(store, ({ federation, ...answered }) => {
    feed.of(federation).publish({ ...answered, version: versions.get(answered.model) ?? 0, source: 'live' });
  });
  const waiting = new LiveWaiting();
  app.post(
    '/v1/federations/:federation/live/:sample',
    {
      schema: { params: sampleParams, body },
      bodyLimit: BODY_BYTES.embedding,
      config: { allow: OWNERS, needsKey: true, counted: 'prediction.made' },
    },
    async ({ params: { federation, sample }, body: { embedding, quorum, deadlineMs }, member: { owner } }) => {
      const quotas = await directory.quotas(federation);
      return waiting.during({ federation, owner }, quotas, () =>
        models.ask(federation, undefined, async ({ version, model }) => {
          versions.set(model, version);
          const own = { owner, embedding: Float32Array.from(embedding) };
          // Owners may write the same time in different ways. Its canonical form brings them together, and each is answered
          // with the id as it wrote it.
          const id = canonicalSampleId(sample);
          const answer = await live.answer({ federation, sample: id, ...own, quorum, deadlineMs, model });
          return { sample, model: version, classes: model.card.classes, ...answer };
        }),
      );
    },
  );
}
