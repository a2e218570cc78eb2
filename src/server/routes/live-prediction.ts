// [coordinator] Live prediction: owners post a sample's embedding when they have it; the answer comes when enough are there.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { listLiveEmbeddings, putLiveEmbedding } from '../../storage/live-embeddings.ts';
import type { TypedApp } from '../app.ts';
import type { ServerContext } from '../server-context.ts';
import { federationParams } from './federations.ts';

const OWNERS = ['owner'] as const;
const NO_CONTROL = /^\P{Cc}*$/u;
const DEADLINE_MS = 10_000;
const LONGEST_MS = 50_000;
const POLL_MS = 20;
/** A sample's embeddings are kept beyond the deadline for whoever asks a little later. */
const KEPT_MS = 60_000;

const params = federationParams.extend({
  sample: z.string().min(1).max(255).regex(NO_CONTROL, 'must not hold control characters'),
});
const body = z.strictObject({
  embedding: z.array(z.number()).min(1).max(100_000),
  quorum: z.number().int().min(1).optional(),
  deadlineMs: z.number().int().min(0).max(LONGEST_MS).default(DEADLINE_MS),
});

export function addLivePrediction(app: TypedApp, { store: { db }, models }: ServerContext): void {
  app.post(
    '/v1/federations/:federation/live/:sample',
    { schema: { params, body }, config: { allow: OWNERS } },
    ({ params: { federation, sample }, body: { embedding, quorum, deadlineMs }, member: { owner } }) =>
      models.ask(federation, undefined, async ({ version, model }) => {
        const own = Float32Array.from(embedding);
        // Kept only if it is sound: it would spoil the answers of all the others.
        model.check(new Map([[owner, own]]));
        const deadline = Date.now() + deadlineMs;
        const expires = new Date(deadline + KEPT_MS);
        await putLiveEmbedding(db, { federation, sample, owner, embedding: own, expires });
        // What came for another version of the model may be of another owner or of another width.
        const widths = new Map(model.card.owners.map((each) => [each.owner, each.width]));
        const usable = async () =>
          (await listLiveEmbeddings(db, federation, sample)).filter(
            (each) => widths.get(each.owner) === each.embedding.length,
          );
        const enough = Math.min(quorum ?? Number.POSITIVE_INFINITY, widths.size);
        let present = await usable();
        while (present.length < enough && Date.now() < deadline) {
          await sleep(Math.min(POLL_MS, Math.max(1, deadline - Date.now())));
          present = await usable();
        }
        const answer = await model.predict(new Map(present.map((each) => [each.owner, each.embedding])));
        return { sample, model: version, classes: model.card.classes, ...answer };
      }),
  );
}
