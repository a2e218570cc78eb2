// [coordinator] Lists models, shows one, and activates one, be it a new or an earlier version.
import { z } from 'zod';
import type { ModelOrigin } from '../../exchange/messages.ts';
import { isPlainText, PLAIN_TEXT_RULE } from '../../exchange/plain-text.ts';
import type { FusedCard } from '../../fuse/model/fused-card.ts';
import { appendAudit } from '../../storage/audit.ts';
import { inTransaction } from '../../storage/database/in-transaction.ts';
import { lockFederation, requireFederation } from '../../storage/federations.ts';
import { holdersToldExactly, labelKeyOf } from '../../storage/label-rules.ts';
import {
  activateModel,
  listModelSummaries,
  type ModelSummary,
  modelState,
  requireModel,
} from '../../storage/models.ts';
import type { Db } from '../../storage/schema.ts';
import { requireTraining } from '../../storage/trainings.ts';
import type { TypedApp } from '../app.ts';
import { modelVersion } from '../prediction/model-version.ts';
import type { ServerContext } from '../server-context.ts';
import { discloseCard, discloseListed, disclosureOf } from '../training/disclosure.ts';
import type { TrainingPlan } from '../training/training-plan.ts';
import { federationParams } from './federations.ts';

const READERS = ['operator', 'labels'] as const;
const OPERATORS = ['operator'] as const;
/** Why, for the audit log. */
const activation = z
  .strictObject({ reason: z.string().min(1).max(500).refine(isPlainText, PLAIN_TEXT_RULE).optional() })
  .nullish();
const modelParams = federationParams.extend({ version: modelVersion });

export function addModels(app: TypedApp, { store: { db } }: ServerContext): void {
  app.get(
    '/v1/federations/:federation/models',
    { schema: { params: federationParams }, config: { allow: READERS, counted: 'model.read' } },
    async ({ params, member }) => {
      const { activeModel } = await requireFederation(db, params.federation);
      const models = await listModelSummaries(db, params.federation);
      const exact = await holdersToldExactly(db, member.id);
      return {
        models: models.map((model) => {
          const { version, training, created, activated, config, members } = model;
          const state = modelState(model, activeModel);
          const origin = { version, state, active: state === 'active', training, created, activated };
          return { ...origin, ...toldScores(model, exact), config, ...(members && { members }) };
        }),
      };
    },
  );

  app.get(
    '/v1/federations/:federation/models/:version',
    { schema: { params: modelParams }, config: { allow: READERS, counted: 'model.read' } },
    ({ params, member }) => modelDetails(db, params.federation, params.version, member.id),
  );

  app.post(
    '/v1/federations/:federation/models/:version/activate',
    { schema: { params: modelParams, body: activation }, config: { allow: OPERATORS } },
    ({ params: { federation, version }, body, member }) =>
      inTransaction(db, async (trx) => {
        const { activeModel: before } = await lockFederation(trx, federation);
        await activateModel(trx, federation, version);
        const details = { version, before, ...(body?.reason !== undefined && { reason: body.reason }) };
        await appendAudit(trx, { federation, actor: member.owner, action: 'model.activated', details });
        return { activeModel: version };
      }),
  );
}

/** Scores of a listed model, as a reader may see them. */
function toldScores({ validation, test, samples, disclosure }: ModelSummary, exact: ReadonlySet<string>) {
  const told = disclosureOf(disclosure);
  if (told && exact.has(told.holder)) return { validation, test };
  return discloseListed({ validation, test, samples } as Pick<FusedCard, 'validation' | 'test' | 'samples'>, told);
}

/** Returns the card with what only the coordinator knows: the model's state, who asked for it, what versions it learned from. */
async function modelDetails(db: Db, federation: string, version: number, reader: string) {
  const model = await requireModel(db, federation, version);
  const { activeModel } = await requireFederation(db, federation);
  const training = model.training === null ? undefined : await requireTraining(db, model.training);
  const plan = training?.options as unknown as TrainingPlan | undefined;
  const origin: ModelOrigin = {
    version,
    state: modelState(model, activeModel),
    created: model.created.toISOString(),
    activated: model.activated?.toISOString() ?? null,
    training: model.training,
    requestedBy: training?.requestedBy ?? null,
    labels: plan?.labels ?? null,
    bundles: Object.fromEntries(plan?.bundles.map(({ owner, version: sent }) => [owner, sent]) ?? []),
  };
  const card = model.card as unknown as FusedCard;
  const disclosure = disclosureOf(training?.disclosure);
  const isExact = disclosure !== null && (await holdersToldExactly(db, reader)).has(disclosure.holder);
  const key = await labelKeyOf(db, federation);
  return { ...discloseCard(card, { disclosure, isExact, key }), model: origin };
}
