// [coordinator] Asks before a training is queued whether the label holder lets this member train on its labels, and split so.
import { F3Error } from '../../errors.ts';
import type { LabelRules } from '../../exchange/label-access.ts';
import { PARTS } from '../../exchange/labels/sample-parts.ts';
import {
  countOtherTrainings,
  countTrainingsBy,
  findGrant,
  firstSplit,
  labelRulesOf,
  type NamedSplit,
} from '../../storage/label-rules.ts';
import type { Db, LabelGrantRow, LabelSetRow, MemberRow } from '../../storage/schema.ts';
import type { SplitFacts } from './split-digest.ts';
import type { TrainingPlan } from './training-plan.ts';

export interface ConsentQuestion {
  federation: string;
  labels: LabelSetRow;
  member: MemberRow;
  split: SplitFacts;
  isRefit: boolean;
}

/**
 * Returns what the plan has to keep of the rules. The caller has locked the federation, so that of two trainings at once the
 * second is counted after the first.
 */
export async function requireConsent(
  trx: Db,
  { federation, labels, member, split, isRefit }: ConsentQuestion,
): Promise<Required<Pick<TrainingPlan, 'splitName' | 'partRules'>>> {
  const rules = await labelRulesOf(trx, labels.member);
  const splitName = nameSplit(split);
  requireParts(split, labels, rules);
  if (member.id !== labels.member) {
    const grant = await findGrant(trx, labels.member, member.id);
    const name = `labels version ${labels.version} of ${federation}`;
    await requireBudget(trx, { federation, name, labels, member, rules, grant });
    if (!isRefit && !grant?.anySplit) await requireFirstSplit(trx, { federation, name, labels, splitName });
  }
  return { splitName, partRules: { smallestPart: rules.smallestPart, smallestClass: rules.smallestClass } };
}

/** Names a split without naming a sample. */
const nameSplit = (split: SplitFacts): NamedSplit =>
  typeof split === 'number' ? { seed: split } : { sha256: split.sha256 };

export const splitText = ({ seed, sha256: hash = '' }: NamedSplit): string =>
  seed === undefined ? `parts with SHA-256 ${hash.slice(0, 12)}` : `seed ${seed}`;

/** Refuses here what can be known without reading the labels. The rest is refused once they are joined. */
function requireParts(split: SplitFacts, { summary }: LabelSetRow, { smallestPart }: LabelRules): void {
  if (typeof split === 'number') {
    const samples = Number(summary.samples);
    const smallest = Math.floor(samples * 0.1);
    if (smallest >= smallestPart) return;
    const found = `${smallest} of ${samples} labelled samples that a random split validates on`;
    throw partError(smallestPart, found);
  }
  for (const part of PARTS) {
    const size = split.sizes[part];
    if (size < smallestPart) throw partError(smallestPart, `${size} in part ${part}`);
  }
}

export const partError = (smallest: number, found: string): F3Error =>
  new F3Error('F3_LABELS_PART', `split: every part must have at least ${smallest} samples, got ${found}`);

interface BudgetQuestion {
  federation: string;
  name: string;
  labels: LabelSetRow;
  member: MemberRow;
  rules: LabelRules;
  grant: LabelGrantRow | undefined;
}

async function requireBudget(
  trx: Db,
  { federation, name, labels, member, rules, grant }: BudgetQuestion,
): Promise<void> {
  if (!grant && rules.open === 'granted') {
    const rule = `their label holder must allow ${member.owner} to train on them`;
    throw new F3Error('F3_LABELS_CONSENT', `${name}: ${rule}, got no grant`);
  }
  const used = grant
    ? await countTrainingsBy(trx, federation, labels.version, member.id)
    : await countOtherTrainings(trx, federation, labels.version, labels.member);
  const most = grant?.trainings ?? rules.trainings;
  if (used < most) return;
  const whose = grant ? member.owner : 'members without a grant of their own, together,';
  throw new F3Error(
    'F3_LABELS_BUDGET',
    `${name}: ${whose} may train on them ${most} times, got ${used} before this one`,
  );
}

async function requireFirstSplit(
  trx: Db,
  {
    federation,
    name,
    labels,
    splitName,
  }: { federation: string; name: string; labels: LabelSetRow; splitName: NamedSplit },
): Promise<void> {
  const first = await firstSplit(trx, federation, labels.version);
  if (!first || splitText(first) === splitText(splitName)) return;
  const rule = `must be split as they were first (${splitText(first)}) unless their label holder allows other splits`;
  throw new F3Error('F3_LABELS_SPLIT', `${name}: ${rule}, got ${splitText(splitName)}`);
}
