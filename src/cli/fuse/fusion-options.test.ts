import { describe, expect, test } from 'vitest';
import { paperPreset, recommendedPreset } from '../../fuse/fusion-config.ts';
import { configChanges, configOf } from './fusion-options.ts';

describe('a fusion', () => {
  test('is the preset, changed by the row, changed by what was said', () => {
    expect(configOf({ preset: 'paper' })).toEqual(paperPreset);
    expect(configOf({ preset: 'paper', row: 'E' })).toEqual({ ...paperPreset, alignment: 'none', graph: 'none' });
    expect(configOf({ preset: 'recommended' })).toEqual(recommendedPreset);
    expect(configOf({ preset: 'recommended', row: 'H', ownerDropout: 0, seed: 3 })).toEqual({
      ...recommendedPreset,
      ...{ alignment: 'none', ownerDropout: 0, seed: 3 },
    });
  });

  test('on a coordinator is told as changes to the paper’s preset, whichever preset it began with', () => {
    expect(configChanges({ preset: 'paper', hidden: 16 })).toEqual({ hidden: 16 });
    expect({ ...paperPreset, ...configChanges({ preset: 'recommended' }) }).toEqual(recommendedPreset);
  });
});
