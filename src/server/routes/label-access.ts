// [coordinator] What the label holder allows others to do with its labels: lists, sets, grants and revokes it.
import { z } from 'zod';
import { type LabelAccess, type LabelRules, STANDARD_LABEL_RULES } from '../../exchange/label-access.ts';
import { appendAudit } from '../../storage/audit.ts';
import { inTransaction } from '../../storage/database/in-transaction.ts';
import { lockFederation, requireFederation } from '../../storage/federations.ts';
import {
  countOtherTrainings,
  countTrainingsBy,
  firstSplit,
  grantLabels,
  labelRulesOf,
  listGrants,
  revokeLabels,
  setLabelRules,
} from '../../storage/label-rules.ts';
import { latestLabelSet } from '../../storage/label-sets.ts';
import { listMembers } from '../../storage/members.ts';
import type { Db, MemberRow } from '../../storage/schema.ts';
import type { TypedApp } from '../app.ts';
import type { ServerContext } from '../server-context.ts';
import { federationParams } from './federations.ts';
import { ownerId } from './members.ts';

const READERS = ['operator', 'labels'] as const;
const HOLDERS = ['labels'] as const;
const count = z.number().int().min(0).max(1_000_000);
const rules = z
  .strictObject({
    smallestPart: count.min(1),
    smallestClass: count,
    trainings: count,
    open: z.enum(['trainers', 'granted']),
  })
  .partial();
const grant = z.strictObject({
  trainings: count,
  anySplit: z.boolean().default(false),
  exactScores: z.boolean().default(false),
});
const grantParams = federationParams.extend({ member: ownerId });

export function addLabelAccess(app: TypedApp, { store: { db } }: ServerContext): void {
  app.get(
    '/v1/federations/:federation/labels/access',
    { schema: { params: federationParams }, config: { allow: READERS } },
    ({ params: { federation }, member }) => labelAccess(db, federation, member),
  );

  app.put(
    '/v1/federations/:federation/labels/rules',
    { schema: { params: federationParams, body: rules }, config: { allow: HOLDERS } },
    ({ params: { federation }, body, member }) =>
      change(db, federation, member, 'labels.rules', { ...body }, (trx) =>
        setLabelRules(trx, member.id, body as Partial<LabelRules>),
      ),
  );

  app.put(
    '/v1/federations/:federation/labels/grants/:member',
    { schema: { params: grantParams, body: grant }, config: { allow: HOLDERS } },
    ({ params: { federation, member: name }, body, member }) =>
      change(db, federation, member, 'labels.granted', { member: name, ...body }, (trx) =>
        grantLabels(trx, { federation, holder: member.id, member: name }, body),
      ),
  );

  app.delete(
    '/v1/federations/:federation/labels/grants/:member',
    { schema: { params: grantParams }, config: { allow: HOLDERS } },
    ({ params: { federation, member: name }, member }) =>
      change(db, federation, member, 'labels.refused', { member: name }, (trx) =>
        revokeLabels(trx, { federation, holder: member.id, member: name }),
      ),
  );
}

/** The federation is locked, so that a training that is asked for at the same moment is judged by the old rules or the new ones. */
function change(
  db: Db,
  federation: string,
  member: MemberRow,
  action: string,
  details: Record<string, unknown>,
  make: (trx: Db) => Promise<unknown>,
): Promise<LabelAccess> {
  return inTransaction(db, async (trx) => {
    await lockFederation(trx, federation);
    await make(trx);
    await appendAudit(trx, { federation, actor: member.owner, action, details });
    return labelAccess(trx, federation, member);
  });
}

/** A label holder sees its own rules, also while the labels of another one count. */
async function labelAccess(db: Db, federation: string, member: MemberRow): Promise<LabelAccess> {
  await requireFederation(db, federation);
  const newest = await latestLabelSet(db, federation);
  const holder = member.role === 'labels' ? member.id : newest?.member;
  const labels = newest && newest.member === holder ? newest.version : null;
  if (holder === undefined) {
    return { holder: null, labels: null, rules: STANDARD_LABEL_RULES, used: 0, split: null, grants: [] };
  }
  const named = (await listMembers(db, federation)).find(({ id }) => id === holder)?.owner ?? null;
  const grants = [];
  for (const one of await listGrants(db, holder)) {
    const { owner, trainings, anySplit, exactScores, granted } = one;
    const used = labels === null ? 0 : await countTrainingsBy(db, federation, labels, one.member);
    grants.push({ member: owner, trainings, anySplit, exactScores, used, granted: granted.toISOString() });
  }
  return {
    holder: named,
    labels,
    rules: await labelRulesOf(db, holder),
    used: labels === null ? 0 : await countOtherTrainings(db, federation, labels, holder),
    split: labels === null ? null : ((await firstSplit(db, federation, labels)) ?? null),
    grants,
  };
}
