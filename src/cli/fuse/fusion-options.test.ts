import { describe, expect, test } from 'vitest';
import { paperPreset, recommendedPreset } from '../../fuse/fusion-config.ts';
import { configChanges, configOf, presetOf } from './fusion-options.ts';

describe('a fusion', () => {
  test('is the preset, changed by the row, changed by what was said', () => {
    expect(configOf({ preset: 'paper' })).toEqual(paperPreset);
    expect(configOf({ preset: 'paper', row: 'E' })).toEqual({ ...paperPreset, alignment: 'none', graph: 'none' });
    expect(configOf({ preset: 'recommended' })).toEqual(recommendedPreset);
    expect(configOf({ preset: 'recommended', row: 'H', ownerDropout: 0, seed: 3 })).toEqual({
      ...recommendedPreset,
      alignment: 'none',
      ownerDropout: 0,
      seed: 3,
    });
  });

  test('starts from what we advise, and from the paper’s choices for a row of its table', () => {
    expect(configOf({})).toEqual(recommendedPreset);
    expect(configOf({ row: 'K' })).toEqual(paperPreset);
    expect(presetOf({ row: 'E', preset: 'recommended' })).toBe('recommended');
  });

  test('on a coordinator is told as a preset and the changes to it', () => {
    expect(configChanges({ preset: 'paper', hidden: 16, lr: 'auto', k: 3 })).toEqual({ hidden: 16, neighbours: 3 });
    expect(configChanges({ preset: 'recommended' })).toEqual({});
    expect(configChanges({ preset: 'paper', encoding: 'auto' })).toEqual({ encoding: 'auto' });
  });
});
