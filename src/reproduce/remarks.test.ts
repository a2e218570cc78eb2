import { describe, expect, it } from 'vitest';
import { causeOf, remarksOn } from './remarks.ts';

const remarks = {
  all: ['of all', { explains: ['K/auc'], text: 'why everywhere' }],
  'metr-la': [{ rows: ['A', 'B'], explains: ['A/f1'], text: 'of two rows' }],
};

describe('remarks', () => {
  it('are for readers of the data set who see all their rows', () => {
    expect(remarksOn(remarks, 'metr-la', () => true)).toEqual(['of all', 'why everywhere', 'of two rows']);
    expect(remarksOn(remarks, 'metr-la', (row) => row === 'A')).toEqual(['of all', 'why everywhere']);
    expect(remarksOn(remarks, 'pmu-b', () => true)).toEqual(['of all', 'why everywhere']);
  });

  it('name the cause of a difference on their data set only', () => {
    expect(causeOf(remarks, 'metr-la', 'A/f1')).toBe('of two rows');
    expect(causeOf(remarks, 'pmu-b', 'A/f1')).toBeUndefined();
    expect(causeOf(remarks, 'pmu-b', 'K/auc')).toBe('why everywhere');
  });
});
