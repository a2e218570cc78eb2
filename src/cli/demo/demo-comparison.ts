// Tells what in the scores of `f3 demo` is beyond chance: differences of macro F1 with their intervals, and in words.
import { isWithinChance, pairedDifference } from '../../fuse/scores/paired-difference.ts';
import { formatDifference, formatNumber } from '../../reproduce/report/report-cells.ts';
import { type DemoComparison, type DemoResult, type DemoSide, FUSED, MEAN_POOLING, rowName } from './demo-result.ts';
import type { DemoVerdict, TestPart } from './demo-scores.ts';

const PAIRS: { first: DemoSide; second: DemoSide }[] = [
  { first: { model: FUSED, someAbsent: false }, second: { model: MEAN_POOLING, someAbsent: false } },
  { first: { model: FUSED, someAbsent: true }, second: { model: FUSED, someAbsent: false } },
  { first: { model: MEAN_POOLING, someAbsent: true }, second: { model: MEAN_POOLING, someAbsent: false } },
];

export function compareRows(
  verdictsOf: (model: string, who: 'all' | 'some') => readonly DemoVerdict[],
  { labels, classes }: TestPart,
  seed: number,
): DemoComparison[] {
  const fits = ({ model, someAbsent }: DemoSide) =>
    verdictsOf(model, someAbsent ? 'some' : 'all').map(({ predicted }) => predicted);
  return PAIRS.map(({ first, second }) => ({
    first,
    second,
    ...pairedDifference(fits(first), fits(second), labels, classes.length, { seed }),
  }));
}

/** Shows for each comparison what is compared, the difference, its interval and whether it is beyond chance. */
export function comparisonTable(result: DemoResult): { head: string[]; rows: string[][] } {
  const rows = result.comparisons.map((comparison) => {
    const { first, second, difference, low, high } = comparison;
    const interval = `${formatDifference(low, 3)} to ${formatDifference(high, 3)}`;
    const what = `${rowName(first, result)} − ${rowName(second, result)}`;
    return [what, formatDifference(difference, 3), interval, verdict(comparison)];
  });
  return { head: ['difference in macro F1', '', '95 % interval', ''], rows };
}

/** Answers what the absence of owners cost F³, which is what a reader of the scores asks first. */
export function absenceSentence({ comparisons, absent, owners, tested }: DemoResult): string {
  const found = comparisons.find(({ first, second }) => first.model === FUSED && second.model === FUSED);
  if (!found || !Number.isFinite(found.difference)) return `With no score, nothing can be said of absent owners.`;
  const size = formatNumber(Math.abs(found.difference), 3);
  const direction = found.difference < 0 ? 'less' : 'more';
  const change = `With ${absent.length} of ${owners} owners absent the macro F1 of ${FUSED} is ${size} ${direction}`;
  return isWithinChance(found)
    ? `${change}; this lies within chance: ${tested} events cannot tell it from none.`
    : `${change}; this is beyond chance.`;
}

export const INTERVAL_NOTE =
  'An interval is what 95 % of 2000 test parts give that are drawn anew from the same events, the same ones for both sides; ' +
  'it covers the choice of events, not that of fits.';

const verdict = (comparison: DemoComparison): string =>
  isWithinChance(comparison) ? 'within chance' : 'beyond chance';
