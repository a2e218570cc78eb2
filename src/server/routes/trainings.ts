// [coordinator] Requests, watches and cancels trainings. They run as jobs; owners may be offline throughout.
import { z } from 'zod';
import { appendAudit } from '../../storage/audit.ts';
import { createOnce } from '../../storage/creations.ts';
import { inTransaction } from '../../storage/database/in-transaction.ts';
import { holdersToldExactly } from '../../storage/label-rules.ts';
import { requireLabelSet } from '../../storage/label-sets.ts';
import { quotasOf, requirePlanRoom, requireQueue } from '../../storage/quotas.ts';
import { cancelTraining, createTraining } from '../../storage/trainings.ts';
import { countWorkers, mostTrainingMemory } from '../../storage/workers.ts';
import type { TypedApp } from '../app.ts';
import { BODY_BYTES } from '../http/body-parsers.ts';
import { creationHeaders, creationRequest } from '../http/creation-request.ts';
import { contentOf } from '../requests/read-body.ts';
import type { ServerContext } from '../server-context.ts';
import { SharedReads } from '../shared-reads.ts';
import { mayStillRead } from '../tokens/authenticate.ts';
import { auditedPlan } from '../training/audited-plan.ts';
import { toldCurve } from '../training/disclosure.ts';
import { choosePromotion } from '../training/judge-candidate.ts';
import { planTraining } from '../training/plan-training.ts';
import { RefitSplit } from '../training/refit-split.ts';
import { requireConsent } from '../training/require-consent.ts';
import { requireMemory } from '../training/require-memory.ts';
import { ownTraining, sendEvents, stateOf, timesOf } from '../training/training-events.ts';
import { type ReadTraining, readTraining, requireLists, trainingRequest } from '../training/training-request.ts';
import { Watchers } from '../watchers.ts';
import { federationParams } from './federations.ts';

const TRAINERS = ['operator', 'labels'] as const;
/** Each is told of changes four times a second. */
const WATCHERS = { most: 200, mostPerMember: 20 };

const trainingParams = federationParams.extend({ id: z.uuid() });

export function addTrainings(app: TypedApp, context: ServerContext): void {
  const { queue, quotas, trainingMemory, requests } = context;
  const { db } = context.store;
  const config = { allow: TRAINERS };
  // A server that ends waits for its answers, but a training may take hours, so event streams are ended; clients reconnect.
  const ending = new AbortController();
  const watchers = new Watchers('trainings', WATCHERS);
  const reads = new SharedReads();
  app.addHook('preClose', async () => ending.abort());

  app.post(
    '/v1/federations/:federation/trainings',
    {
      schema: { params: federationParams, body: trainingRequest, headers: creationHeaders },
      bodyLimit: BODY_BYTES.content,
      config: { ...config, reader: 'training' },
      preValidation: async ({ body }) => requireLists(body),
    },
    async (asked) => {
      const read = contentOf<ReadTraining>(asked.body) ?? readTraining(asked.body);
      const refitSplit = await RefitSplit.find(db, asked.params.federation, read, asked.member.id, requests);
      return createOnce(db, creationRequest(asked), {
        async create(trx) {
          const { federation } = asked.params;
          const { owner } = asked.member;
          const promotion = choosePromotion(read.options.promote, asked.member);
          const own = await quotasOf(trx, federation, quotas);
          await requireQueue(trx, federation, owner, own);
          const planned = await planTraining(trx, federation, read, refitSplit);
          const labels = await requireLabelSet(trx, federation, planned.plan.labels);
          const consent = await requireConsent(trx, {
            federation,
            labels,
            member: asked.member,
            split: planned.split,
            isRefit: planned.plan.refit !== undefined,
          });
          const plan = { ...planned.plan, ...consent, promotion };
          await requirePlanRoom(trx, federation, plan.packed?.length ?? 0, own);
          requireMemory(plan, (await mostTrainingMemory(trx)) ?? trainingMemory);
          const training = await createTraining(trx, {
            federation,
            requestedBy: owner,
            askedBy: asked.member.id,
            disclosure: { holder: labels.member },
            options: plan,
          });
          await queue.add(trx, training);
          const { id } = training;
          const details = { training: id, promote: promotion.rule, ...auditedPlan(planned) };
          await appendAudit(trx, { federation, actor: owner, action: 'training.asked', details });
          return { subject: id, answer: { id, workers: await countWorkers(trx) } };
        },
        repeat: async (trx, id) => ({ subject: id, answer: { id, workers: await countWorkers(trx) } }),
      });
    },
  );

  app.get(
    '/v1/federations/:federation/trainings/:id',
    { schema: { params: trainingParams }, config },
    async ({ params, member }) => {
      const training = await ownTraining(db, params.federation, params.id);
      const exact = await holdersToldExactly(db, member.id);
      const curve = toldCurve(training, exact);
      const { place } = training;
      const worker = member.role === 'operator' ? training.worker : null;
      const workers = await countWorkers(db);
      return { ...stateOf(training, exact), ...timesOf(training), place, worker, curve, workers };
    },
  );

  app.post(
    '/v1/federations/:federation/trainings/:id/cancel',
    { schema: { params: trainingParams }, config },
    async (asked) => {
      const { federation, id } = asked.params;
      await ownTraining(db, federation, id);
      return inTransaction(db, async (trx) => {
        const training = await cancelTraining(trx, id);
        const details = { training: id };
        await appendAudit(trx, { federation, actor: asked.member.owner, action: 'training.cancelled', details });
        return stateOf(training, await holdersToldExactly(trx, asked.member.id));
      });
    },
  );

  app.get(
    '/v1/federations/:federation/trainings/:id/events',
    { schema: { params: trainingParams }, config: { ...config, isStream: true } },
    async (asked, reply) => {
      const { federation, id } = asked.params;
      await ownTraining(db, federation, id);
      const leave = watchers.enter(asked.member.id);
      reply.hijack();
      // The connection closes after the events, because a server that ends would wait for one that stays open.
      const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', connection: 'close' };
      reply.raw.writeHead(200, headers);
      try {
        const { member, session } = asked;
        // A member may listen with several keys and sessions, of which one may be over.
        const whose = `member ${member.id} ${member.keyId} ${session?.hash}`;
        const mayKnow = () =>
          reads.read(whose, async () =>
            (await mayStillRead(context, asked)) ? holdersToldExactly(db, member.id) : undefined,
          );
        const seen = Number(asked.headers['last-event-id']) || 0;
        const isOperator = member.role === 'operator';
        const listener = { to: reply.raw, isOperator, seen, mayKnow, ending: ending.signal };
        await sendEvents(db, reads, federation, id, listener);
        reply.raw.end();
      } catch (error) {
        asked.log.error({ err: error }, 'events broke off');
        reply.raw.destroy(); // the status is already sent, and clients reconnect after a broken connection
      } finally {
        leave();
      }
    },
  );
}
