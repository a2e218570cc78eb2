// [coordinator] Labels of a federation. There is a version each time the label holder sends others, and old ones stay.
import { sql } from 'kysely';
import { F3Error } from '../errors.ts';
import { inTransaction } from './database/in-transaction.ts';
import { lockFederation } from './federations.ts';
import { lockMember } from './members.ts';
import type { Db, JsonObject, LabelSetRow } from './schema.ts';

export interface NewLabelSet {
  federation: string;
  /** Id of the member who sent it. */
  member: string;
  blob: string;
  sha256: string;
  size: number;
  summary: JsonObject;
}

/** Sizes of labels are told and counted in whole blocks: names of classes differ in length, so an exact size counts samples of a class. */
export const LABEL_BLOCK = 65_536;

export const toldLabelBytes = (size: number): number => Math.ceil(size / LABEL_BLOCK) * LABEL_BLOCK;

/** Adds the labels as the federation's newest version. */
export function addLabelSet(db: Db, { summary, ...labelSet }: NewLabelSet): Promise<LabelSetRow> {
  return inTransaction(db, async (trx) => {
    await lockFederation(trx, labelSet.federation);
    await lockMember(trx, labelSet.member);
    return trx
      .insertInto('labelSets')
      .values((row) => ({
        ...labelSet,
        summary: JSON.stringify(summary),
        version: row
          .selectFrom('labelSets')
          .select(sql<number>`coalesce(max(version), 0) + 1`.as('next'))
          .where('federation', '=', labelSet.federation),
      }))
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

export function latestLabelSet(db: Db, federation: string): Promise<LabelSetRow | undefined> {
  return db
    .selectFrom('labelSets')
    .selectAll()
    .where('federation', '=', federation)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export function listLabelSets(db: Db, federation: string): Promise<LabelSetRow[]> {
  return db.selectFrom('labelSets').selectAll().where('federation', '=', federation).orderBy('version').execute();
}

export async function requireLabelSet(db: Db, federation: string, version: number): Promise<LabelSetRow> {
  const labelSet = await db
    .selectFrom('labelSets')
    .selectAll()
    .where('federation', '=', federation)
    .where('version', '=', version)
    .executeTakeFirst();
  if (labelSet) return labelSet;
  throw new F3Error('F3_LABELS_UNKNOWN', `labels of ${federation}: version must exist, got ${version}`);
}
