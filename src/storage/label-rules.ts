// [coordinator] What label holders allow others to do with their labels, and how often it was done.
import { sql } from 'kysely';
import { F3Error } from '../errors.ts';
import { type LabelGrant, type LabelRules, STANDARD_LABEL_RULES } from '../exchange/label-access.ts';
import { findMember } from './members.ts';
import type { Db, LabelGrantRow, MemberRow } from './schema.ts';

/** `holder` is the id of the member who sent the labels. */
export async function labelRulesOf(db: Db, holder: string): Promise<LabelRules> {
  const row = await db.selectFrom('labelRules').select('rules').where('holder', '=', holder).executeTakeFirst();
  return { ...STANDARD_LABEL_RULES, ...row?.rules };
}

export async function setLabelRules(db: Db, holder: string, changes: Partial<LabelRules>): Promise<LabelRules> {
  const rules = { ...(await labelRulesOf(db, holder)), ...changes };
  const text = JSON.stringify(rules);
  await db
    .insertInto('labelRules')
    .values({ holder, rules: text })
    .onConflict((conflict) => conflict.column('holder').doUpdateSet({ rules: text }))
    .execute();
  return rules;
}

/** Grants to the member of that name who has a valid key now, in the federation or among the operators of the coordinator. */
export async function grantLabels(
  db: Db,
  { federation, holder, member: name }: { federation: string; holder: string; member: string },
  grant: LabelGrant,
): Promise<void> {
  const { id } = await requireTrainer(db, federation, name);
  await db
    .insertInto('labelGrants')
    .values({ holder, member: id, ...grant })
    .onConflict((conflict) => conflict.columns(['holder', 'member']).doUpdateSet({ ...grant, granted: new Date() }))
    .execute();
}

/** Returns whether there was a grant. */
export async function revokeLabels(
  db: Db,
  { federation, holder, member: name }: { federation: string; holder: string; member: string },
): Promise<boolean> {
  const { id } = await requireTrainer(db, federation, name);
  const gone = await db
    .deleteFrom('labelGrants')
    .where('holder', '=', holder)
    .where('member', '=', id)
    .executeTakeFirst();
  return gone.numDeletedRows > 0n;
}

async function requireTrainer(db: Db, federation: string, name: string): Promise<MemberRow> {
  const member = (await findMember(db, federation, name)) ?? (await findMember(db, null, name));
  if (member && member.role !== 'owner') return member;
  const rule = `must be an operator or a label holder of federation ${federation}`;
  throw new F3Error('F3_MEMBER_UNKNOWN', `member ${name}: ${rule}, got ${member ? 'an owner' : 'nobody of that name'}`);
}

export function findGrant(db: Db, holder: string, member: string): Promise<LabelGrantRow | undefined> {
  return db
    .selectFrom('labelGrants')
    .selectAll()
    .where('holder', '=', holder)
    .where('member', '=', member)
    .executeTakeFirst();
}

export function listGrants(db: Db, holder: string): Promise<(LabelGrantRow & { owner: string })[]> {
  return db
    .selectFrom('labelGrants')
    .innerJoin('members', 'members.id', 'labelGrants.member')
    .selectAll('labelGrants')
    .select('members.owner')
    .where('holder', '=', holder)
    .orderBy('members.owner')
    .execute();
}

/**
 * Trainings on a label set. One that was cancelled before it began has told nothing and does not count; whatever else
 * became of it, it may have: an epoch's loss, or why it failed.
 */
const asked = (db: Db, federation: string, labels: number) =>
  db
    .selectFrom('trainings')
    .where('federation', '=', federation)
    .where(sql<boolean>`options ->> 'labels' = ${String(labels)}`)
    .where((row) => row.or([row('started', 'is not', null), row('status', 'in', ['queued', 'running'])]));

/** How often one member has trained on a label set. */
export async function countTrainingsBy(db: Db, federation: string, labels: number, member: string): Promise<number> {
  const { count } = await asked(db, federation, labels)
    .select(sql<number>`count(*)::int`.as('count'))
    .where('askedBy', '=', member)
    .executeTakeFirstOrThrow();
  return count;
}

/** How often all others than the holder and those with a grant have trained on a label set, together. */
export async function countOtherTrainings(db: Db, federation: string, labels: number, holder: string): Promise<number> {
  const { count } = await asked(db, federation, labels)
    .select(sql<number>`count(*)::int`.as('count'))
    .where((row) =>
      row.or([
        row('askedBy', 'is', null),
        row.and([
          row('askedBy', '<>', holder),
          row('askedBy', 'not in', row.selectFrom('labelGrants').select('member').where('holder', '=', holder)),
        ]),
      ]),
    )
    .executeTakeFirstOrThrow();
  return count;
}

/** How a request named the split. */
export interface NamedSplit {
  seed?: number;
  /** Of the ids of each part. */
  sha256?: string;
}

/** The split of the first training on a label set, refits left aside: their split is that of a model. */
export async function firstSplit(db: Db, federation: string, labels: number): Promise<NamedSplit | undefined> {
  const first = await asked(db, federation, labels)
    .select(sql<NamedSplit | null>`options -> 'splitName'`.as('split'))
    .where(sql<boolean>`options -> 'refit' is null`)
    .where(sql<boolean>`options -> 'splitName' is not null`)
    .orderBy('created')
    .orderBy('turn')
    .limit(1)
    .executeTakeFirst();
  return first?.split ?? undefined;
}

/** A secret of the federation, under which hashes that depend on labels are told: nobody can try out labels against them. */
export async function labelKeyOf(db: Db, federation: string): Promise<string> {
  await db
    .insertInto('labelKeys')
    .values({ federation })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { key } = await db
    .selectFrom('labelKeys')
    .select('key')
    .where('federation', '=', federation)
    .executeTakeFirstOrThrow();
  return key;
}

/** The label holders of whose labels a member is told everything: those that allowed it, and itself. */
export async function holdersToldExactly(db: Db, member: string): Promise<ReadonlySet<string>> {
  const grants = await db
    .selectFrom('labelGrants')
    .select('holder')
    .where('member', '=', member)
    .where('exactScores', '=', true)
    .execute();
  return new Set([member, ...grants.map(({ holder }) => holder)]);
}
