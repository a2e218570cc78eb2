// The options of a search, for `f3 fuse --preset auto` and `f3 federation train --preset auto`.
import { type Command, InvalidArgumentError } from 'commander';
import { F3Error } from '../../errors.ts';
import { DEFAULT_FITS, MOST_FITS, MOST_MINUTES, type SearchBudget } from '../../fuse/search/search-budget.ts';
import { ABSENCE_WEIGHT } from '../../fuse/search/situations.ts';
import { integerFrom } from '../option-values.ts';
import type { FusionOptions } from './fusion-options.ts';

export interface SearchCommandOptions {
  budgetFits?: number;
  budgetMinutes?: number;
  absenceWeight?: number;
}

export function addSearchOptions(command: Command): Command {
  return command
    .option(
      '--budget-fits <n>',
      `for --preset auto: most fits (default: ${DEFAULT_FITS}, unless minutes are given)`,
      integerFrom(1, MOST_FITS),
    )
    .option('--budget-minutes <m>', 'for --preset auto: most minutes', numberUpTo(MOST_MINUTES, { aboveZero: true }))
    .option(
      '--absence-weight <w>',
      `for --preset auto: how much absent owners count in the choice, from 0 to 1 (default: ${ABSENCE_WEIGHT})`,
      numberUpTo(1, { aboveZero: false }),
    );
}

export const isSearch = ({ preset }: FusionOptions): boolean => preset === 'auto';

/** Undefined if neither was given: the library has a default. */
export function budgetOf({ budgetFits, budgetMinutes }: SearchCommandOptions): SearchBudget | undefined {
  if (budgetFits === undefined && budgetMinutes === undefined) return undefined;
  return { fits: budgetFits, minutes: budgetMinutes };
}

/** Options that need a search, and options that a search has no use for. `others` are the command's own. */
export function checkSearchOptions(
  options: FusionOptions & SearchCommandOptions,
  others: Readonly<Record<string, unknown>> = {},
): void {
  const flags = { '--budget-fits': options.budgetFits, '--budget-minutes': options.budgetMinutes };
  const wanting = Object.entries({
    ...flags,
    '--absence-weight': options.absenceWeight,
    '--search': others['--search'],
  });
  const stray = wanting.find(([, value]) => value !== undefined);
  if (!isSearch(options)) {
    if (stray) throw new F3Error('F3_OPTION', `${stray[0]}: is for --preset auto only`);
    return;
  }
  const { '--search': _, ...idle } = others;
  const unused: Record<string, unknown> = {
    '--row': options.row,
    '--lr auto': options.lr === 'auto' || undefined,
    ...idle,
  };
  const given = Object.entries(unused).find(([, value]) => value !== undefined && value !== false);
  if (given) throw new F3Error('F3_OPTION', `${given[0]}: is not for --preset auto, which sees to it by itself`);
}

function numberUpTo(most: number, { aboveZero }: { aboveZero: boolean }): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (value <= most && (aboveZero ? value > 0 : value >= 0)) return value;
    throw new InvalidArgumentError(`It must be a number ${aboveZero ? 'above 0 and at most' : 'from 0 to'} ${most}.`);
  };
}
