import { describe, expect, it } from 'vitest';
import { DATASETS } from '../experiment.ts';
import { readExpected } from '../experiment-files.ts';
import { claimRows, differenceText } from './paper-claims.ts';

describe('a claim', () => {
  it('is level as far as both deviations reach, on the digits that tables show', () => {
    const compare = (mean: number) => differenceText({ mean, deviation: 0.0104 }, { mean: 0.8, deviation: 0.02 });
    expect(compare(0.8304)).toBe('+0.030 level');
    expect(compare(0.8306)).toBe('+0.031 better');
    expect(compare(0.7696)).toBe('−0.030 level');
    expect(compare(0.7694)).toBe('−0.031 worse');
  });

  it('is not judged where neither figure has a deviation, and not made where one is missing', () => {
    expect(differenceText({ mean: 0.9 }, { mean: 0.8 })).toBe('+0.100');
    expect(differenceText({ mean: 0.9 }, undefined)).toBe('–');
  });

  it('is stated for the paper and for every data set, with dashes where a row cannot run', () => {
    const rows = claimRows();
    for (const row of rows) expect(row).toHaveLength(2 + DATASETS.length);
    const given = rows.find(([claim]) => claim.includes('given graph')) ?? [];
    expect(given.slice(-2)).toEqual(['–', '–']);
  });

  it('takes its figures from the record', () => {
    const { values = {} } = readExpected('table-2').ours['metr-la'] ?? {};
    const [, , alignment] = claimRows().find(([claim]) => claim.startsWith('Alignment helps')) ?? [];
    const gain = (values['K/f1'] ?? 0) - (values['H/f1'] ?? 0);
    expect(Number.parseFloat(alignment)).toBeCloseTo(gain, 2);
  });
});
