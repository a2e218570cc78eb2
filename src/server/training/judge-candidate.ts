// [coordinator] Decides whether the model of a finished training becomes the active one or stays a candidate, and says why.
import { F3Error } from '../../errors.ts';
import type { Promotion, PromotionRule, Role } from '../../exchange/messages.ts';
import type { FusedFacts } from '../../fuse/model/fused-model.ts';
import { roundScore, scoreStep } from './disclosure.ts';

/** The rule that was asked for, and whether an operator asked: only operators decide which model is active. */
export interface PromotionChoice {
  rule: PromotionRule;
  byOperator: boolean;
  /** Id of the key that asked. Plans that an older version of f3 made do not have it. */
  keyId?: string;
}

/** A choice, and what became of who made it. */
export interface JudgedChoice extends PromotionChoice {
  /**
   * Whether the member has been revoked or has left meanwhile, or its key has been revoked: a stolen key must not decide what
   * answers once it is shut out.
   */
  shutOut?: 'member' | 'key' | undefined;
}

export const DEFAULT_PROMOTION: PromotionRule = 'if-better';

export function choosePromotion(
  rule: PromotionRule,
  { owner, role, keyId }: { owner: string; role: Role; keyId: string },
): PromotionChoice {
  const byOperator = role === 'operator';
  if (byOperator || rule !== 'always') return { rule, byOperator, keyId };
  throw new F3Error('F3_AUTH_FORBIDDEN', `member ${owner}: must be an operator to promote always, got role ${role}`);
}

export interface JudgedModel {
  version: number;
  card: Pick<FusedFacts, 'validation' | 'validatedOn'>;
}

/** `told`: samples of the validation part, as many digits are told as they support; null: no scores are told. */
export function judgeCandidate(
  { rule, byOperator, shutOut }: JudgedChoice,
  candidate: JudgedModel,
  active: JudgedModel | undefined,
  told: number | null,
): Promotion {
  const verdict = (promoted: boolean, reason: string): Promotion => ({
    rule,
    promoted,
    reason,
    before: active?.version ?? null,
  });
  if (rule === 'never') return verdict(false, 'its training was told never to promote');
  if (shutOut === 'member') return verdict(false, 'who asked for it is no longer a member');
  if (shutOut === 'key') return verdict(false, 'the key that asked for it was revoked');
  if (rule === 'always') return verdict(true, 'its training was told to promote always');
  if (!active) {
    return byOperator
      ? verdict(true, 'no model was active before it')
      : verdict(false, 'no model is active to compare it with, and who asked for it is no operator');
  }
  const [now, before] = [candidate.card, active.card];
  if (before.validatedOn === undefined) {
    return verdict(false, `model ${active.version} has no record of its validation samples to compare scores on`);
  }
  if (now.validatedOn !== before.validatedOn) {
    const reason = 'was scored on other validation samples or labels, so scores cannot be compared';
    return verdict(false, `model ${active.version} ${reason}`);
  }
  return verdict(...compareScores(now.validation, before.validation, active.version, told));
}

/**
 * Better is a lower validation loss together with a ROC AUC that is no lower, where both have one. Training itself goes by
 * the loss; the AUC keeps out a model that is only better calibrated. Equal is not better: a change needs a reason.
 */
function compareScores(
  now: FusedFacts['validation'],
  before: FusedFacts['validation'],
  version: number,
  told: number | null,
): [promoted: boolean, reason: string] {
  const shown = (score: number | null) => shownScore(score, told);
  const losses = `validation loss ${shown(now.loss)}`;
  if (!(now.loss < before.loss)) {
    return [false, `${losses} is not below ${shown(before.loss)} of model ${version}`];
  }
  const lower = `${losses} is below ${shown(before.loss)} of model ${version}`;
  // A score that is not defined is NaN here and null in a stored card.
  if (!Number.isFinite(now.auc) || !Number.isFinite(before.auc)) return [true, lower];
  const aucs = `ROC AUC ${shown(now.auc)}`;
  if (now.auc < before.auc) return [false, `${lower}, but its ${aucs} is lower than ${shown(before.auc)}`];
  return [true, `${lower}, and its ${aucs} is no lower than ${shown(before.auc)}`];
}

/** The decision takes all digits; the reason tells as many as the part supports, so that equal ones may differ unseen. */
function shownScore(score: number | null, told: number | null): string {
  if (!Number.isFinite(score)) return 'none';
  const digits = Math.max(0, Math.round(-Math.log10(scoreStep(told ?? 1))));
  return told === null ? 'withheld' : (roundScore(score, told) as number).toFixed(digits);
}
