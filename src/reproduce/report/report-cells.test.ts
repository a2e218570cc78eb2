import { describe, expect, it } from 'vitest';
import type { Measured } from '../../figures/result.ts';
import {
  agreement,
  agreementText,
  cellText,
  columnsOf,
  DASH,
  formatDifference,
  formatDuration,
  formatNumber,
} from './report-cells.ts';

const two = { paperDigits: 2 };
const verdict = (cell: Measured, paperDigits = 2) => cellText(cell, { paperDigits }).verdict;

describe('numbers', () => {
  it('have a true minus, and none before a rounded zero', () => {
    expect(formatNumber(-1.25, 2)).toBe('−1.25');
    expect(formatNumber(-0.0001, 3)).toBe('0.000');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('that are %s show as a dash', (value) => {
    expect(formatNumber(value, 3)).toBe(DASH);
    expect(formatDifference(value, 3)).toBe(DASH);
    expect(formatDuration(value)).toBe(DASH);
  });

  it.each([
    [0.0123, '+0.012'],
    [-0.0123, '−0.012'],
    [0.0002, '0.000'],
    [-0.0002, '0.000'],
  ])('as differences carry their sign: %d', (value, text) => {
    expect(formatDifference(value, 3)).toBe(text);
  });

  it.each([
    [0.04, '0.0 s'],
    [59.94, '59.9 s'],
    [59.97, '1 min 0 s'],
    [119.6, '2 min 0 s'],
    [1421, '24 min'],
    [3599, '1 h 0 min'],
    [7320, '2 h 2 min'],
  ])('of seconds: %d', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });
});

describe('cells', () => {
  it('show ours with its deviation, the paper’s with its own digits, and the difference', () => {
    const text = cellText({ mean: 0.8283, deviation: 0.0112, paper: 0.83, paperDeviation: 0.01 }, two);
    expect(text).toMatchObject({ mean: '0.828', deviation: '0.011', paper: '0.83', difference: '−0.002' });
  });

  it('have dashes and no verdict where the paper has no value', () => {
    expect(cellText({ mean: 0.5 }, two)).toEqual({ mean: '0.500', paper: DASH, difference: DASH, verdict: 'unjudged' });
  });

  it('have a dash and no deviation where we have no value', () => {
    const text = cellText({ mean: Number.NaN, deviation: Number.NaN, paper: 0.25 }, two);
    expect(text).toEqual({ mean: DASH, paper: '0.25', difference: DASH, verdict: 'unjudged' });
  });

  it('of text stay text, and missing ones are empty', () => {
    expect(cellText('yes', two).mean).toBe('yes');
    expect(cellText(undefined, two).mean).toBe('');
  });
});

describe('the verdict', () => {
  it('is within as far as both deviations and the paper’s rounding reach', () => {
    expect(verdict({ mean: 0.855, deviation: 0.01, paper: 0.83, paperDeviation: 0.01 })).toBe('within');
    expect(verdict({ mean: 0.856, deviation: 0.01, paper: 0.83, paperDeviation: 0.01 })).toBe('beyond');
    expect(verdict({ mean: 0.804, deviation: 0.01, paper: 0.83, paperDeviation: 0.01 })).toBe('beyond');
  });

  it('takes the digits that are shown, so that it can be checked by hand', () => {
    expect(verdict({ mean: 0.2354, deviation: 0, paper: 0.23 })).toBe('within');
    expect(verdict({ mean: 0.2356, deviation: 0, paper: 0.23 })).toBe('beyond');
  });

  it('is not given where neither side has a deviation, unless the values are the same', () => {
    expect(verdict({ mean: 31.2, paper: 87.89, digits: 2 })).toBe('unjudged');
    expect(verdict({ mean: 2856, paper: 2856, digits: 0 }, 0)).toBe('within');
  });

  it('shows figures of other data and does not judge them', () => {
    const shown = { mean: 0.8, deviation: 0.01, paper: 0.7, paperDeviation: 0.01 };
    expect(cellText(shown, { paperDigits: 2 })).toMatchObject({ difference: '+0.100', verdict: 'beyond' });
    expect(cellText({ ...shown, otherData: true }, { paperDigits: 2 })).toMatchObject({
      paper: '0.70',
      difference: '+0.100',
      verdict: 'unjudged',
    });
  });
});

describe('columns', () => {
  const table = {
    title: '',
    columns: ['row', 'F1', 'seconds'],
    rows: [
      ['A', { mean: 0.1, paper: 0.8 }, { mean: 3 }],
      ['B', { mean: 0.2, paper: 0.83, deviation: 0 }, { mean: 4 }],
    ],
  };

  it('are compared where the paper has a value, with as many digits as it prints', () => {
    const [row, f1, seconds] = columnsOf(table);
    expect(row).toMatchObject({ compared: false, numeric: false });
    expect(f1).toMatchObject({ compared: true, numeric: true, paperDigits: 2 });
    expect(seconds).toMatchObject({ compared: false, numeric: true });
  });

  it('count towards the agreement only where there is a verdict', () => {
    expect(agreement({ tables: [table] })).toEqual({ judged: 1, within: 0 });
    expect(agreementText({ judged: 3, within: 2 })).toBe('2 of 3');
    expect(agreementText(agreement({ tables: [] }))).toBe(DASH);
  });
});
