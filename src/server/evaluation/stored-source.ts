// [coordinator] Reads a stored model and its validation part from the database, and says how much of the part may be told.
import { F3Error } from '../../errors.ts';
import { type FusedCard, parseFusedCard } from '../../fuse/model/fused-card.ts';
import { readBlob } from '../../storage/blobs.ts';
import { findBundle } from '../../storage/bundles.ts';
import { inTransaction } from '../../storage/database/in-transaction.ts';
import { labelRulesOf } from '../../storage/label-rules.ts';
import { requireLabelSet } from '../../storage/label-sets.ts';
import { requireModel } from '../../storage/models.ts';
import type { Db, TrainingRow } from '../../storage/schema.ts';
import { admitPart } from '../../storage/scored-parts.ts';
import { requireTraining } from '../../storage/trainings.ts';
import { disclosureOf } from '../training/disclosure.ts';
import { hashedIds } from '../training/part-rules.ts';
import type { TrainingPlan } from '../training/training-plan.ts';
import type { EvaluationSource } from './evaluated-model.ts';
import type { ChosenPart } from './evaluation-data.ts';

export interface StoredSource extends EvaluationSource {
  training: TrainingRow | undefined;
}

export async function storedSource(db: Db, federation: string, version: number): Promise<StoredSource> {
  const model = await requireModel(db, federation, version);
  const name = `model ${version} of ${federation}`;
  const card: FusedCard = parseFusedCard(JSON.stringify(model.card), name);
  const training = model.training === null ? undefined : await requireTraining(db, model.training);
  const planned = (): TrainingPlan => {
    if (training) return training.options as unknown as TrainingPlan;
    throw new F3Error('F3_EVALUATION', `${name}: must come from a training of this coordinator, got one without`);
  };
  return {
    card,
    name,
    training,
    weights: async () => (await readBlob(db, model.blob)) as Uint8Array<ArrayBuffer>,
    data: async () => {
      const { labels, split, packed, classes } = planned();
      const lists = { split, packed };
      const { blob } = await requireLabelSet(db, federation, labels);
      const bytes = (await readBlob(db, blob)) as Uint8Array<ArrayBuffer>;
      return { labels: bytes, labelsName: `labels version ${labels}`, classes: classes ?? card.classes, lists };
    },
    async *bundles() {
      for (const { owner, version: sent } of planned().bundles) {
        const bundle = await findBundle(db, federation, owner, sent);
        if (!bundle) {
          const rule = 'must have all bundles that it learned from';
          throw new F3Error(
            'F3_EVALUATION',
            `${name}: ${rule}, got none of ${owner} in version ${sent}: it was deleted`,
          );
        }
        yield { owner, bytes: (await readBlob(db, bundle.blob)) as Uint8Array<ArrayBuffer> };
      }
    },
  };
}

export interface ToldPart {
  /** Id of the member who sent the labels; null for a model of an older f3. */
  holder: string | null;
  /** How many samples numbers are told of; null: nothing is told. */
  samples: number | null;
}

/**
 * The scores of the whole part were decided on when the model was trained. A choice of its samples is another set, which is told
 * of if it differs by many from all that were told of before.
 */
export async function toldPart(
  db: Db,
  { training }: Pick<StoredSource, 'training'>,
  { samples, isWhole }: ChosenPart,
): Promise<ToldPart> {
  const told = disclosureOf(training?.disclosure);
  const ofWhole = told?.parts?.validation ?? null;
  if (!training || !told) return { holder: told?.holder ?? null, samples: null };
  if (ofWhole === null) return { holder: told.holder, samples: null };
  if (isWhole) return { holder: told.holder, samples: samples.length };
  const { partRules } = training.options as unknown as TrainingPlan;
  return inTransaction(db, async (trx) => {
    await trx.selectFrom('members').select('id').where('id', '=', told.holder).forNoKeyUpdate().execute();
    const { smallestPart } = partRules ?? (await labelRulesOf(trx, told.holder));
    const isTold =
      samples.length >= smallestPart && (await admitPart(trx, told.holder, hashedIds(samples), smallestPart));
    return { holder: told.holder, samples: isTold ? samples.length : null };
  });
}
