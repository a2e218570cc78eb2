// [coordinator] Trainings: asked for, watched, cancelled. They run as jobs; owners may be offline throughout.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { F3Error } from '../../errors.ts';
import { type FusionConfig, LEARNED_METHODS, paperPreset } from '../../fuse/fusion-config.ts';
import { appendAudit } from '../../storage/audit.ts';
import { latestBundles } from '../../storage/bundles.ts';
import { createOnce } from '../../storage/creations.ts';
import { requireFederation } from '../../storage/federations.ts';
import { latestLabelSet } from '../../storage/label-sets.ts';
import type { Db, Training } from '../../storage/schema.ts';
import { cancelTraining, createTraining, requireTraining } from '../../storage/trainings.ts';
import type { TypedApp } from '../app.ts';
import { creationHeaders, creationRequest } from '../creation-request.ts';
import type { TrainingPlan } from '../run-training.ts';
import type { ServerContext } from '../server-context.ts';
import { federationParams } from './federations.ts';

const TRAINERS = ['operator', 'labels'] as const;
const POLL_MS = 250;
/** A comment now and then keeps proxies from closing a quiet line. */
const KEEP_ALIVE_MS = 15_000;

const positive = z.number().int().positive();
const configSchema = z
  .strictObject({
    method: z.enum(LEARNED_METHODS),
    alignment: z.enum(['none', 'soft', 'hard']),
    sinkhorn: z.enum(['square', 'exp']),
    sweeps: positive.max(1000),
    entropyWeight: z.number().min(0),
    graph: z.enum(['none', 'given', 'knn', 'icdf', 'gumbel']),
    reference: z.enum(['normal', 'logistic', 'uniform']),
    temperature: z.number().min(0.001).max(10),
    projectEdges: z.boolean(),
    graphsPer: z.enum(['example', 'batch']),
    neighbours: positive,
    skip: z.boolean(),
    hidden: positive.max(4096),
    ownerDropout: z.number().min(0).lt(1),
    learningRate: z.number().positive().max(10),
    batch: positive.max(100_000),
    epochs: positive.max(100_000),
    patience: positive.max(100_000),
    predictionGraphs: positive.max(10_000),
    seed: z.number().int().min(0),
  } satisfies Record<keyof FusionConfig, z.ZodType>)
  .partial();
const ids = z.array(z.string().min(1)).min(1);
const request = z.strictObject({
  config: configSchema.default({}),
  learningRates: z.array(z.number().positive().max(10)).min(1).max(10).optional(),
  split: z.union([z.number().int().min(0), z.strictObject({ train: ids, validation: ids, test: ids })]).default(1),
  classes: z.array(z.string().min(1)).min(2).optional(),
  adjacency: z.strictObject({ owners: z.array(z.string()), weights: z.array(z.array(z.number())) }).optional(),
});
const trainingParams = federationParams.extend({ id: z.uuid() });

export function addTrainings(app: TypedApp, { store: { db }, queue }: ServerContext): void {
  const config = { allow: TRAINERS };

  app.post(
    '/v1/federations/:federation/trainings',
    { schema: { params: federationParams, body: request, headers: creationHeaders }, config },
    (asked) =>
      createOnce(db, creationRequest(asked), {
        async make(trx) {
          const { federation } = asked.params;
          const { owner } = asked.member;
          const plan = await planOf(trx, federation, asked.body);
          const { id } = await createTraining(trx, { federation, requestedBy: owner, options: { ...plan } });
          await queue.add(trx, id);
          const details = { training: id, bundles: plan.bundles.length };
          await appendAudit(trx, { federation, actor: owner, action: 'training.asked', details });
          return { subject: id, answer: { id } };
        },
        again: async (_, id) => ({ subject: id, answer: { id } }),
      }),
  );

  app.get(
    '/v1/federations/:federation/trainings/:id',
    { schema: { params: trainingParams }, config },
    async ({ params }) => stateOf(await ownTraining(db, params.federation, params.id)),
  );

  app.post(
    '/v1/federations/:federation/trainings/:id/cancel',
    { schema: { params: trainingParams }, config },
    async (asked) => {
      const { federation, id } = asked.params;
      await ownTraining(db, federation, id);
      const training = await cancelTraining(db, id);
      await appendAudit(db, {
        federation,
        actor: asked.member.owner,
        action: 'training.cancelled',
        details: { training: id },
      });
      return stateOf(training);
    },
  );

  app.get(
    '/v1/federations/:federation/trainings/:id/events',
    { schema: { params: trainingParams }, config },
    async (asked, reply) => {
      const { federation, id } = asked.params;
      await ownTraining(db, federation, id);
      reply.hijack();
      reply.raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      await tell(db, federation, id, reply.raw);
      reply.raw.end();
    },
  );
}

/** What there is at this moment is what will be learned from. */
async function planOf(db: Db, federation: string, body: z.infer<typeof request>): Promise<TrainingPlan> {
  const { classes } = await requireFederation(db, federation);
  const [bundles, labels] = [await latestBundles(db, federation), await latestLabelSet(db, federation)];
  if (bundles.length === 0) throw notReady(federation, 'bundles of owners');
  if (!labels) throw notReady(federation, 'labels of the label holder');
  const { graph } = { ...paperPreset, ...body.config };
  if ((graph === 'given') !== (body.adjacency !== undefined)) {
    throw new F3Error('F3_FUSE_GRAPH', `training: an adjacency goes with graph given, got graph ${graph}`);
  }
  const { config, learningRates, split, adjacency } = body;
  const named = body.classes ?? classes ?? undefined;
  return {
    ...{ config: config as Partial<FusionConfig>, split },
    ...(learningRates && { learningRates }),
    ...(named && { classes: named }),
    ...(adjacency && { adjacency }),
    bundles: bundles.map(({ owner, version }) => ({ owner, version })),
    labels: labels.version,
  };
}

async function ownTraining(db: Db, federation: string, id: string): Promise<Training> {
  const training = await requireTraining(db, id);
  if (training.federation === federation) return training;
  throw new F3Error('F3_TRAINING_UNKNOWN', `training ${id}: must exist, got an unknown one`);
}

const stateOf = ({ id, status, progress, modelVersion, error }: Training) => ({
  ...{ id, state: status, progress, model: modelVersion, error },
});

/** Every change of state and progress until it is over or the listener leaves. */
async function tell(
  db: Db,
  federation: string,
  id: string,
  to: NodeJS.WritableStream & { destroyed?: boolean },
): Promise<void> {
  let last = '';
  let quiet = 0;
  while (!to.destroyed) {
    const { state, progress, model, error } = stateOf(await ownTraining(db, federation, id));
    const event = JSON.stringify({ state, ...progress, ...(model && { model }), ...(error && { error }) });
    quiet += POLL_MS;
    if (event !== last || quiet >= KEEP_ALIVE_MS) {
      to.write(event === last ? ': still here\n\n' : `data: ${event}\n\n`);
      quiet = 0;
    }
    last = event;
    if (state !== 'queued' && state !== 'running') return;
    await sleep(POLL_MS);
  }
}

const notReady = (federation: string, what: string) =>
  new F3Error('F3_TRAINING_INPUT', `federation ${federation}: must have ${what} before it trains, got none`);
