// [coordinator] Questions about a stored model: how good it is, how it aligns an owner, what absence costs, and who is critical.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { F3Error } from '../../errors.ts';
import { alignmentSchema } from '../../exchange/messages/alignments.ts';
import { evaluationSchema } from '../../exchange/messages/evaluation.ts';
import { criticalitySchema, MOST_CHANGED, whatIfRequestSchema, whatIfSchema } from '../../exchange/messages/what-if.ts';
import { holdersToldExactly } from '../../storage/label-rules.ts';
import { findModelReport, putModelReport } from '../../storage/model-reports.ts';
import { requireModel } from '../../storage/models.ts';
import type { JsonObject } from '../../storage/schema.ts';
import type { TypedApp } from '../app.ts';
import {
  type CriticalOwners,
  CriticalSearches,
  findCritical,
  questionCount,
  tellCritical,
} from '../evaluation/criticality.ts';
import type { OpenModel } from '../evaluation/evaluation-shelf.ts';
import { type Telling, tellAlignment, tellEvaluation, tellingOf, tellWhatIf } from '../evaluation/tell-evaluation.ts';
import { BODY_BYTES } from '../http/body-parsers.ts';
import { modelVersion } from '../prediction/model-version.ts';
import type { ServerContext } from '../server-context.ts';
import { federationParams } from './federations.ts';
import { ownerId } from './members.ts';

const config = { allow: ['operator', 'labels'], counted: 'model.questioned', isQuestion: true } as const;
const KIND = 'criticality';
/** Searches take turns with members. There are few at a time and what they find is kept, so nobody's budget pays. */
const SEARCHER = 'criticality';
const params = federationParams.extend({ version: modelVersion });

export function addModelQuestions(app: TypedApp, { store: { db }, evaluations }: ServerContext): void {
  const searches = new CriticalSearches();

  /** Whoever has had more than its share pauses. */
  async function requireBudget({ member }: FastifyRequest, reply: FastifyReply): Promise<void> {
    const seconds = evaluations.budget.wait(member.id);
    if (seconds === 0) return;
    reply.header('retry-after', seconds);
    const rule = 'questions of a member may compute for so long, and half of the time that passes comes back';
    throw new F3Error('F3_RATE_LIMIT', `models: ${rule}; ask again in ${seconds} s`);
  }

  /** How the reader is told numbers that labels have a part in. */
  async function tellingFor(open: OpenModel, member: string): Promise<Telling> {
    const { holder, samples } = await open.told(member);
    const isExact = holder !== null && (await holdersToldExactly(db, member)).has(holder);
    return tellingOf(isExact, samples);
  }

  app.get(
    '/v1/federations/:federation/models/:version/evaluation',
    { schema: { params, response: { 200: evaluationSchema } }, config, preHandler: requireBudget },
    ({ params: { federation, version }, member }) =>
      evaluations.use(federation, version, async (open) => {
        const evaluation = await open.model.evaluate(member.id);
        const about = { version, card: open.model.card, part: await open.model.part(member.id) };
        return tellEvaluation(evaluation, about, await tellingFor(open, member.id));
      }),
  );

  app.get(
    '/v1/federations/:federation/models/:version/alignments/:owner',
    {
      schema: { params: params.extend({ owner: ownerId }), response: { 200: alignmentSchema } },
      config: { allow: config.allow, counted: 'model.read' },
      preHandler: requireBudget,
    },
    ({ params: { federation, version, owner }, member }) =>
      evaluations.use(federation, version, async ({ model }) =>
        tellAlignment(await model.alignment(member.id, owner), { version, owner }),
      ),
  );

  app.post(
    '/v1/federations/:federation/models/:version/what-if',
    {
      schema: { params, body: whatIfRequestSchema, response: { 200: whatIfSchema } },
      bodyLimit: BODY_BYTES.classes,
      config,
      preHandler: requireBudget,
    },
    ({ params: { federation, version }, body, member }) =>
      evaluations.use(federation, version, async (open) => {
        const absent = [...new Set(body.absent)];
        const effect = await open.model.without(member.id, absent, MOST_CHANGED);
        const about = { version, card: open.model.card, part: await open.model.part(member.id), absent };
        return tellWhatIf(effect, about, await tellingFor(open, member.id));
      }),
  );

  const criticality = { schema: { params, response: { 200: criticalitySchema } }, config };

  app.post(
    '/v1/federations/:federation/models/:version/criticality',
    criticality,
    async ({ params: { federation, version }, member, log }) => {
      if (!(await findModelReport(db, federation, version, KIND))) {
        const owners = await ownersOf(federation, version);
        searches.begin(keyOf(federation, version), questionCount(owners), async (onDone) => {
          try {
            await evaluations.use(federation, version, async ({ model }) => {
              const names = model.card.owners.map(({ owner }) => owner);
              const found = await findCritical(names, (absent) => model.without(SEARCHER, absent), onDone);
              await putModelReport(db, { federation, version, kind: KIND }, { ...found } as JsonObject);
            });
          } catch (error) {
            log.warn({ err: error }, 'criticality was not found');
            throw error;
          }
        });
      }
      return criticalityOf(federation, version, member.id);
    },
  );

  app.get(
    '/v1/federations/:federation/models/:version/criticality',
    criticality,
    ({ params: { federation, version }, member }) => criticalityOf(federation, version, member.id),
  );

  async function ownersOf(federation: string, version: number): Promise<number> {
    const { card } = await requireModel(db, federation, version);
    return (card.owners as unknown[]).length;
  }

  async function criticalityOf(federation: string, version: number, member: string) {
    const report = (await findModelReport(db, federation, version, KIND)) as CriticalOwners | undefined;
    const nothing = { model: version, told: null, owners: [], five: [], error: null };
    if (report) {
      const questions = questionCount(report.owners.length);
      return evaluations.use(federation, version, async (open) => ({
        ...nothing,
        state: 'done' as const,
        done: questions,
        of: questions,
        ...tellCritical(report, await tellingFor(open, member)),
      }));
    }
    const search = searches.find(keyOf(federation, version));
    if (!search)
      return { ...nothing, state: 'none' as const, done: 0, of: questionCount(await ownersOf(federation, version)) };
    const { done, of, error } = search;
    return { ...nothing, state: error ? ('failed' as const) : ('running' as const), done, of, error };
  }
}

const keyOf = (federation: string, version: number): string => `${federation}/${version}`;
