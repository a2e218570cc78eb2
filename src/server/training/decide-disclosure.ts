// [coordinator] Decides which parts of a training are told of: those whose samples differ by none or by many from all others that
// were told of before.
import { PARTS, type Part } from '../../exchange/labels/sample-parts.ts';
import { inTransaction } from '../../storage/database/in-transaction.ts';
import { labelRulesOf } from '../../storage/label-rules.ts';
import { requireLabelSet } from '../../storage/label-sets.ts';
import type { Db, TrainingRow } from '../../storage/schema.ts';
import { admitPart, ID_BYTES } from '../../storage/scored-parts.ts';
import type { Disclosure } from './disclosure.ts';
import type { PartIds } from './part-rules.ts';
import type { TrainingPlan } from './training-plan.ts';

export function decideDisclosure(db: Db, { id, federation, options }: TrainingRow, ids: PartIds): Promise<Disclosure> {
  const { labels, partRules } = options as unknown as TrainingPlan;
  return inTransaction(db, async (trx) => {
    const { member: holder } = await requireLabelSet(trx, federation, labels);
    // Trainings of the same holder decide one after the other. A revoked holder's labels are protected all the same.
    await trx.selectFrom('members').select('id').where('id', '=', holder).forNoKeyUpdate().execute();
    const { smallestPart } = partRules ?? (await labelRulesOf(trx, holder));
    const parts: Record<Part, number | null> = { train: null, validation: null, test: null };
    for (const part of PARTS) {
      const samples = ids[part].length / ID_BYTES;
      if (samples < smallestPart) continue;
      if (await admitPart(trx, holder, ids[part], smallestPart)) parts[part] = samples;
    }
    const disclosure = { holder, parts };
    await trx
      .updateTable('trainings')
      .set({ disclosure: JSON.stringify(disclosure) })
      .where('id', '=', id)
      .execute();
    return disclosure;
  });
}
