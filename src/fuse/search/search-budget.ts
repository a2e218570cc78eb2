// [coordinator] How much a search may do: a number of fits, a number of minutes, or both.
import { F3Error } from '../../errors.ts';

/** How much a search may do. The one that is used up first ends it. */
export interface SearchBudget {
  /** Most fits. Default 20, unless minutes are given. */
  fits?: number | undefined;
  /** Most minutes, of this call. The result then depends on the machine. */
  minutes?: number | undefined;
}

export interface CheckedBudget {
  fits: number;
  minutes: number | undefined;
}

export const DEFAULT_FITS = 20;
export const MOST_FITS = 1000;
export const MOST_MINUTES = 7 * 24 * 60;

/** Without fits, minutes alone decide. */
export function checkBudget(budget: SearchBudget = {}): CheckedBudget {
  const { minutes } = budget;
  const fits = budget.fits ?? (minutes === undefined ? DEFAULT_FITS : MOST_FITS);
  if (!Number.isInteger(fits) || fits < 1 || fits > MOST_FITS) {
    throw new F3Error('F3_ARGUMENT', `budget: fits must be a whole number from 1 to ${MOST_FITS}, got ${fits}`);
  }
  if (minutes !== undefined && !(minutes > 0 && minutes <= MOST_MINUTES)) {
    const rule = `minutes must be a number above 0 and at most ${MOST_MINUTES}`;
    throw new F3Error('F3_ARGUMENT', `budget: ${rule}, got ${minutes}`);
  }
  return { fits, minutes };
}

/** A guess at the seconds left, from what fits took so far; undefined while nothing is known. */
export function secondsLeft(
  { fits, minutes }: CheckedBudget,
  at: { done: number; threads: number; spent: number; secondsPerFit: number | undefined },
): number | undefined {
  const { done, threads, spent, secondsPerFit } = at;
  const left = fits - done;
  const guesses = [
    ...(minutes === undefined ? [] : [Math.max(0, minutes * 60 - spent)]),
    ...(secondsPerFit === undefined ? [] : [Math.ceil(left / threads) * secondsPerFit]),
  ];
  return guesses.length > 0 ? Math.min(...guesses) : undefined;
}
