// [coordinator] Models: listed, looked at, made active again.
import { appendAudit } from '../../storage/audit.ts';
import { inTransaction } from '../../storage/database/in-transaction.ts';
import { requireFederation } from '../../storage/federations.ts';
import { activateModel, listModels, requireModel } from '../../storage/models.ts';
import type { TypedApp } from '../app.ts';
import { modelVersion } from '../prediction/model-version.ts';
import type { ServerContext } from '../server-context.ts';
import { federationParams } from './federations.ts';

const READERS = ['operator', 'labels'] as const;
const OPERATORS = ['operator'] as const;
const modelParams = federationParams.extend({ version: modelVersion });

export function addModels(app: TypedApp, { store: { db } }: ServerContext): void {
  app.get(
    '/v1/federations/:federation/models',
    { schema: { params: federationParams }, config: { allow: READERS } },
    async ({ params }) => {
      const { activeModel } = await requireFederation(db, params.federation);
      const models = await listModels(db, params.federation);
      return {
        models: models.map(({ version, training, created, card: { validation, test, config } }) => ({
          ...{ version, training, created, active: version === activeModel, validation, test, config },
        })),
      };
    },
  );

  app.get(
    '/v1/federations/:federation/models/:version',
    { schema: { params: modelParams }, config: { allow: READERS } },
    async ({ params }) => {
      const { card } = await requireModel(db, params.federation, params.version);
      return card;
    },
  );

  app.post(
    '/v1/federations/:federation/models/:version/activate',
    { schema: { params: modelParams }, config: { allow: OPERATORS } },
    ({ params: { federation, version }, member }) =>
      inTransaction(db, async (trx) => {
        await activateModel(trx, federation, version);
        await appendAudit(trx, { federation, actor: member.owner, action: 'model.activated', details: { version } });
        return { activeModel: version };
      }),
  );
}
