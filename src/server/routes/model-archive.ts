// [coordinator] A stored model as one file: a tar archive of the folder that `f3 predict` and `loadModel` read.
import { Readable } from 'node:stream';
import { tarFile } from '../../base/tar-file.ts';
import type { FusedCard } from '../../fuse/model/fused-card.ts';
import { MODEL_CARD_FILE, MODEL_WEIGHTS_FILE } from '../../fuse/model/model-folder.ts';
import { appendAudit } from '../../storage/audit.ts';
import { blobSize, streamBlob } from '../../storage/blobs.ts';
import { holdersToldExactly, labelKeyOf } from '../../storage/label-rules.ts';
import { requireModel } from '../../storage/models.ts';
import { requireTraining } from '../../storage/trainings.ts';
import type { TypedApp } from '../app.ts';
import { modelVersion } from '../prediction/model-version.ts';
import type { ServerContext } from '../server-context.ts';
import { type CardTelling, discloseCard, disclosureOf } from '../training/disclosure.ts';
import { federationParams } from './federations.ts';

const OPERATORS = ['operator'] as const;
const params = federationParams.extend({ version: modelVersion });

export function addModelArchive(app: TypedApp, { store: { db } }: ServerContext): void {
  app.get(
    '/v1/federations/:federation/models/:version/archive',
    { schema: { params }, config: { allow: OPERATORS } },
    async ({ params: { federation, version }, member }, reply) => {
      const model = await requireModel(db, federation, version);
      const training = model.training === null ? undefined : await requireTraining(db, model.training);
      const disclosure = disclosureOf(training?.disclosure);
      const isExact = disclosure !== null && (await holdersToldExactly(db, member.id)).has(disclosure.holder);
      const key = await labelKeyOf(db, federation);
      const card = archivedCard(model.card as unknown as FusedCard, { disclosure, isExact, key });
      const shown = Buffer.from(`${JSON.stringify(card, null, 2)}\n`);
      const folder = `${federation}-model-${version}`;
      const files = [
        { name: `${folder}/${MODEL_CARD_FILE}`, size: shown.length, content: [shown] },
        {
          name: `${folder}/${MODEL_WEIGHTS_FILE}`,
          size: await blobSize(db, model.blob),
          content: streamBlob(db, model.blob),
        },
      ];
      const details = { version };
      await appendAudit(db, { federation, actor: member.owner, action: 'model.downloaded', details });
      reply.header('content-disposition', `attachment; filename="${folder}.tar"`).type('application/x-tar');
      return reply.send(Readable.from(tarFile(files, model.created)));
    },
  );
}

/** The card as it is told, with what predictions need: how members of an ensemble are mixed, and how votes are counted. */
function archivedCard(card: FusedCard, telling: CardTelling): object {
  const shown = discloseCard(card, telling) as unknown as FusedCard;
  const { ensemble } = card;
  return {
    ...shown,
    ...('rule' in card && { rule: card.rule }),
    ...(ensemble && {
      ensemble: {
        mixture: ensemble.mixture,
        members: ensemble.members.map((member, m) => ({
          ...shown.ensemble?.members[m],
          ...('rule' in member && { rule: member.rule }),
        })),
      },
    }),
  };
}
