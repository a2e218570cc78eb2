// When a new model takes the place of the active one by itself, and what is said of it.
import { describe, expect, it } from 'vitest';
import * as judging from './judge-candidate.ts';
import { choosePromotion, type JudgedModel, type PromotionChoice } from './judge-candidate.ts';

const scored = (version: number, loss: number, auc: number | null, validatedOn?: string): JudgedModel => ({
  version,
  card: {
    validation: { accuracy: 0.5, f1: 0.5, auc: auc as number, prAuc: 0.5, loss },
    ...(validatedOn && { validatedOn }),
  },
});
/** With so many samples in the validation part that four digits are told. */
const judgeCandidate = (choice: PromotionChoice, candidate: JudgedModel, before: JudgedModel | undefined) =>
  judging.judgeCandidate(choice, candidate, before, 25_000_000);

const active = scored(1, 0.5, 0.7, 'same');
const ifBetter: PromotionChoice = { rule: 'if-better', byOperator: true };

describe('if-better', () => {
  it.each<[string, JudgedModel, boolean, string]>([
    [
      'a lower loss and a higher AUC',
      scored(2, 0.4, 0.8, 'same'),
      true,
      'validation loss 0.4000 is below 0.5000 of model 1, and its ROC AUC 0.8000 is no lower than 0.7000',
    ],
    [
      'a lower loss and the same AUC',
      scored(2, 0.4, 0.7, 'same'),
      true,
      'validation loss 0.4000 is below 0.5000 of model 1, and its ROC AUC 0.7000 is no lower than 0.7000',
    ],
    [
      'a lower loss, but a lower AUC',
      scored(2, 0.4, 0.6, 'same'),
      false,
      'validation loss 0.4000 is below 0.5000 of model 1, but its ROC AUC 0.6000 is lower than 0.7000',
    ],
    ['the same loss', scored(2, 0.5, 0.9, 'same'), false, 'validation loss 0.5000 is not below 0.5000 of model 1'],
    ['a higher loss', scored(2, 0.6, 0.9, 'same'), false, 'validation loss 0.6000 is not below 0.5000 of model 1'],
    ['no loss', scored(2, Number.NaN, 0.9, 'same'), false, 'validation loss none is not below 0.5000 of model 1'],
    ['no AUC', scored(2, 0.4, null, 'same'), true, 'validation loss 0.4000 is below 0.5000 of model 1'],
    [
      'other validation samples',
      scored(2, 0.4, 0.9, 'other'),
      false,
      'model 1 was scored on other validation samples or labels, so scores cannot be compared',
    ],
  ])('%s', (_, candidate, promoted, reason) => {
    expect(judgeCandidate(ifBetter, candidate, active)).toEqual({ rule: 'if-better', promoted, reason, before: 1 });
  });

  it('compares with no model whose validation samples are not on record', () => {
    expect(judgeCandidate(ifBetter, scored(2, 0.1, 1, 'same'), scored(1, 0.5, 0.7))).toMatchObject({
      promoted: false,
      reason: 'model 1 has no record of its validation samples to compare scores on',
    });
  });

  it('lets the first model through for an operator, and for nobody else', () => {
    const first = scored(1, 0.5, 0.7, 'same');
    expect(judgeCandidate(ifBetter, first, undefined)).toMatchObject({
      promoted: true,
      before: null,
      reason: 'no model was active before it',
    });
    expect(judgeCandidate({ rule: 'if-better', byOperator: false }, first, undefined)).toMatchObject({
      promoted: false,
      reason: 'no model is active to compare it with, and who asked for it is no operator',
    });
  });
});

describe('without a gate', () => {
  it('never is never, the first model included; always is always, however bad', () => {
    const bad = scored(2, 9, 0.1, 'other');
    expect(judgeCandidate({ rule: 'never', byOperator: true }, bad, undefined)).toMatchObject({ promoted: false });
    expect(judgeCandidate({ rule: 'always', byOperator: true }, bad, active)).toMatchObject({ promoted: true });
  });

  it('always is for operators', () => {
    expect(choosePromotion('always', { owner: 'ops', role: 'operator', keyId: 'k' })).toEqual({
      rule: 'always',
      byOperator: true,
      keyId: 'k',
    });
    expect(choosePromotion('if-better', { owner: 'holder', role: 'labels', keyId: 'k' })).toEqual({
      rule: 'if-better',
      byOperator: false,
      keyId: 'k',
    });
    expect(() => choosePromotion('always', { owner: 'holder', role: 'labels', keyId: 'k' })).toThrow(
      'member holder: must be an operator to promote always, got role labels',
    );
  });
});

describe('the reason', () => {
  it('tells as many digits as the validation part supports, or none', () => {
    const candidate = scored(2, 0.4321, 0.8765, 'same');
    expect(judging.judgeCandidate(ifBetter, candidate, active, 100).reason).toBe(
      'validation loss 0.43 is below 0.50 of model 1, and its ROC AUC 0.88 is no lower than 0.70',
    );
    expect(judging.judgeCandidate(ifBetter, candidate, active, null).reason).toBe(
      'validation loss withheld is below withheld of model 1, and its ROC AUC withheld is no lower than withheld',
    );
  });
});
