import { describe, expect, it } from 'vitest';
import { recordedRemark } from './recorded-remark.ts';

const recorded = {
  seeds: 5,
  seconds: 60,
  values: { 'K/f1': 0.83, 'K/f1Deviation': 0.01, 'E/f1': 0.76, 'C/auc': null },
};
const run = (values: Record<string, number>, { name = 'table-2', seeds = 5 } = {}) =>
  recordedRemark({ name, seeds, values }, recorded);

describe('recordedRemark', () => {
  it('counts figures within the recorded deviation, and undefined ones as the same', () => {
    const remark = run({ 'K/f1': 0.8395, 'K/f1Deviation': 0.5, 'E/f1': 0.7604, 'C/auc': Number.NaN });
    expect(remark).toMatch(/^3 of 3 figures are those on record in experiments\/table-2\/expected.json, within .*\.$/);
  });

  it('names what differs', () => {
    const remark = run({ 'K/f1': 0.85, 'E/f1': 0.762, 'C/auc': 0.5 });
    expect(remark).toMatch(
      /^0 of 3 .* Others: K\/f1 0.850, not 0.830; E\/f1 0.762, not 0.760; C\/auc 0.500, not undefined\.$/,
    );
  });

  it('judges only the rows that ran', () => {
    expect(run({ 'E/f1': 0.76, 'new/f1': 0.1 })).toMatch(/^1 of 1 /);
    expect(run({ 'new/f1': 0.1 })).toBeUndefined();
  });

  it('says nothing under other seeds, without a record, and of what a machine decides', () => {
    expect(run({ 'K/f1': 0.83 }, { seeds: 3 })).toBeUndefined();
    expect(run({ 'K/f1': 0.83 }, { name: 'table-4' })).toBeUndefined();
    expect(recordedRemark({ name: 'theory', seeds: 1, values: { a: 1 } }, undefined)).toBeUndefined();
  });
});
