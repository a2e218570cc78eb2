import { describe, expect, it } from 'vitest';
import { recommendedPreset } from '../fusion-config.ts';
import { searchSteps } from './search-space.ts';

describe('the neighbours of a fit', () => {
  const ratesOf = (isCutShort: boolean) =>
    searchSteps({ ...recommendedPreset, encoding: 'none', learningRate: 0.01 }, {}, { name: 'fit 1', isCutShort })
      .filter(({ name }) => name.includes('learningRate'))
      .map(({ config }) => config.learningRate);

  it('learn more slowly and faster', () => {
    expect(ratesOf(false)).toEqual([0.003, 0.03]);
  });

  it('learn no more slowly where its epochs were used up: they would not come as far', () => {
    expect(ratesOf(true)).toEqual([0.03]);
  });
});
