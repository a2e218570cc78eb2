// How much of the scores a reader is told, in a sentence: label holders may have them rounded or withheld.
import type { Told } from '../../src/exchange/messages/evaluation.ts';

export function toldWords(told: Told | null | undefined): string {
  if (!told || told.exact) return '';
  if (told.withheld)
    return 'Scores are withheld by the label holder’s rules: too few samples to tell without giving labels away.';
  return told.step === null ? '' : `Scores are rounded to ${told.step}, as the label holder’s rules ask.`;
}

/** Digits after the point that say something: no more than the step to which scores are rounded. */
export const scoreDigits = (told: Told | null | undefined): number =>
  told?.step ? Math.max(1, Math.ceil(-Math.log10(told.step) - 1e-9)) : 3;
