// [coordinator] Lists models, shows one, and activates one, be it a new or an earlier version.
import type { ModelOrigin } from '../../exchange/messages.ts';
import { appendAudit } from '../../storage/audit.ts';
import { inTransaction } from '../../storage/database/in-transaction.ts';
import { lockFederation, requireFederation } from '../../storage/federations.ts';
import { activateModel, listModelSummaries, modelState, requireModel } from '../../storage/models.ts';
import type { Db } from '../../storage/schema.ts';
import { requireTraining } from '../../storage/trainings.ts';
import type { TypedApp } from '../app.ts';
import { modelVersion } from '../prediction/model-version.ts';
import type { ServerContext } from '../server-context.ts';
import type { TrainingPlan } from '../training/training-plan.ts';
import { federationParams } from './federations.ts';

const READERS = ['operator', 'labels'] as const;
const OPERATORS = ['operator'] as const;
const modelParams = federationParams.extend({ version: modelVersion });

export function addModels(app: TypedApp, { store: { db } }: ServerContext): void {
  app.get(
    '/v1/federations/:federation/models',
    { schema: { params: federationParams }, config: { allow: READERS, counted: 'model.read' } },
    async ({ params }) => {
      const { activeModel } = await requireFederation(db, params.federation);
      const models = await listModelSummaries(db, params.federation);
      return {
        models: models.map((model) => {
          const { version, training, created, activated, validation, test, config } = model;
          const state = modelState(model, activeModel);
          return { version, state, active: state === 'active', training, created, activated, validation, test, config };
        }),
      };
    },
  );

  app.get(
    '/v1/federations/:federation/models/:version',
    { schema: { params: modelParams }, config: { allow: READERS, counted: 'model.read' } },
    ({ params }) => modelDetails(db, params.federation, params.version),
  );

  app.post(
    '/v1/federations/:federation/models/:version/activate',
    { schema: { params: modelParams }, config: { allow: OPERATORS } },
    ({ params: { federation, version }, member }) =>
      inTransaction(db, async (trx) => {
        const { activeModel: before } = await lockFederation(trx, federation);
        await activateModel(trx, federation, version);
        const details = { version, before };
        await appendAudit(trx, { federation, actor: member.owner, action: 'model.activated', details });
        return { activeModel: version };
      }),
  );
}

/** Returns the card with what only the coordinator knows: the model's state, who asked for it, what versions it learned from. */
async function modelDetails(db: Db, federation: string, version: number) {
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
  return { ...model.card, model: origin };
}
