import { describe, expect, it } from 'vitest';
import { absenceSentence, compareRows, comparisonTable } from './demo-comparison.ts';
import type { DemoResult } from './demo-result.ts';
import type { DemoVerdict } from './demo-scores.ts';

const LABELS = Array.from({ length: 90 }, (_, row) => row % 3);
const test = { labels: LABELS, classes: ['a', 'b', 'c'], samples: [], votes: [] };

/** Predictions that are wrong on every `period`th sample, counted from `from`. */
const wrongOnEvery = (period: number, from = 0): DemoVerdict =>
  ({ predicted: Int32Array.from(LABELS, (c, row) => ((row + from) % period === 0 ? (c + 1) % 3 : c)) }) as DemoVerdict;

/** The demo's comparisons where F³ and mean pooling predict as given. */
function resultOf(fused: { all: DemoVerdict; some: DemoVerdict }, pooled: { all: DemoVerdict; some: DemoVerdict }) {
  const comparisons = compareRows((model, who) => [(model === 'F³' ? fused : pooled)[who]], test, 1);
  return { comparisons, absent: ['x', 'y'], owners: 7, tested: LABELS.length } as unknown as DemoResult;
}

describe('what the demo says of its differences', () => {
  it('calls a difference chance that the events cannot tell from none', () => {
    const result = resultOf(
      { all: wrongOnEvery(7), some: wrongOnEvery(8, 3) },
      { all: wrongOnEvery(2), some: wrongOnEvery(2) },
    );
    const { rows } = comparisonTable(result);
    expect(rows.map((row) => [row[0], row.at(-1)])).toEqual([
      ['F³ − mean pooling', 'beyond chance'],
      ['F³, 2 of 7 owners absent − F³', 'within chance'],
      ['mean pooling, 2 of 7 owners absent − mean pooling', 'within chance'],
    ]);
    expect(absenceSentence(result)).toMatch(
      /^With 2 of 7 owners absent the macro F1 of F³ is 0\.0\d\d more; this lies within chance: 90 events cannot tell it from none\.$/,
    );
  });

  it('calls a loss what is one', () => {
    const result = resultOf(
      { all: wrongOnEvery(30), some: wrongOnEvery(2) },
      { all: wrongOnEvery(3), some: wrongOnEvery(3) },
    );
    expect(absenceSentence(result)).toMatch(/ is 0\.\d\d\d less; this is beyond chance\.$/);
    expect(comparisonTable(result).rows[1][1]).toMatch(/^−0\.\d\d\d$/);
  });
});
