import { describe, expect, it } from 'vitest';
import { paperOwnerPreset, recommendedOwnerPreset } from '../embed/owner-preset.ts';
import { ownerVariants } from './owner-variants.ts';

describe('owner variants', () => {
  it('have among them the presets that owners are offered, so that what is advised is what was measured', () => {
    expect(ownerVariants.plain.options()).toEqual(paperOwnerPreset);
    expect(ownerVariants['gru-long'].options()).toEqual(recommendedOwnerPreset);
  });

  it('mix architectures and widths in turn', () => {
    const kinds = [0, 1, 2, 3].map((owner) => {
      const { model, width } = ownerVariants.mixed.options(owner);
      return `${model} ${width}`;
    });
    expect(kinds).toEqual(['lstm 16', 'gru 12', 'dense 24', 'lstm 16']);
  });
});
