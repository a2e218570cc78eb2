// [coordinator] Predicts live: owners post their embeddings of a sample and are answered when enough of them have.
import { z } from 'zod';
import { F3Error } from '../../errors.ts';
import { canonicalSampleId } from '../../exchange/bundle/canonical-time.ts';
import { LONGEST_DEADLINE_MS } from '../../exchange/messages.ts';
import { isPlainText, PLAIN_TEXT_RULE } from '../../exchange/plain-text.ts';
import type { TypedApp } from '../app.ts';
import { BODY_BYTES } from '../http/body-parsers.ts';
import { type LiveModel, LiveSamples } from '../prediction/live-samples.ts';
import { LiveWaiting } from '../prediction/live-waiting.ts';
import type { ServerContext } from '../server-context.ts';
import { federationParams } from './federations.ts';

const OWNERS = ['owner'] as const;
const DEADLINE_MS = 10_000;

export const sampleParams = federationParams.extend({
  sample: z.string().min(1).max(255).refine(isPlainText, PLAIN_TEXT_RULE),
});
const body = z.strictObject({
  embedding: z.array(z.number()).min(1).max(100_000).optional(),
  /** On shares: the name under which every entity holds its share of the embedding, the embedding's width, the id of its codes. */
  share: z
    .strictObject({
      ticket: z.string().regex(/^[0-9a-f]{32}$/),
      width: z.number().int().min(1).max(100_000),
      coding: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .optional(),
    })
    .optional(),
  quorum: z.number().int().min(1).optional(),
  deadlineMs: z.number().int().min(0).max(LONGEST_DEADLINE_MS).default(DEADLINE_MS),
});

export function addLivePrediction(app: TypedApp, { store, directory, models, feed, shares }: ServerContext): void {
  // Which version a model is, for those who watch.
  const versions = new WeakMap<LiveModel, number>();
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
    async ({ params: { federation, sample }, body: { quorum, deadlineMs, ...said }, member: { owner } }) => {
      const quotas = await directory.quotas(federation);
      const own = ownWords(said, owner, await shares.isShared(federation));
      // Owners may write the same time in different ways. Its canonical form brings them together, and each is answered
      // with the id as it wrote it.
      const id = canonicalSampleId(sample);
      const ask = async ({ version, model }: { version: number; model: LiveModel }) => {
        versions.set(model, version);
        const answer = await live.answer({ federation, sample: id, owner, ...own, quorum, deadlineMs, model });
        return { sample, model: version, classes: model.card.classes, ...answer };
      };
      return waiting.during({ federation, owner }, quotas, () =>
        own.ticket === undefined
          ? models.ask(federation, undefined, ask)
          : models.askShared(federation, undefined, ask),
      );
    },
  );
}

/** What the owner says of the sample: its embedding, or where the entities have it. */
function ownWords(
  { embedding, share }: Pick<z.infer<typeof body>, 'embedding' | 'share'>,
  owner: string,
  isShared: boolean,
) {
  if (isShared) {
    if (share && !embedding) return { embedding: new Float32Array(), ...share };
    const rule = 'must be sent in shares, since the federation computes on shares';
    throw new F3Error('F3_SHARES_ONLY', `embedding of ${owner}: ${rule}, got ${embedding ? 'an embedding' : 'none'}`);
  }
  if (embedding && !share) {
    return { embedding: Float32Array.from(embedding), ticket: undefined };
  }
  throw new F3Error('F3_REQUEST', `request: embedding must be a list of numbers, got ${share ? 'a share' : 'none'}`);
}
