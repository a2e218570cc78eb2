import { describe, expect, it } from 'vitest';
import fc from '../../test/support/seeded-fast-check.ts';
import {
  type FusionField,
  fusionConfigSchema,
  fusionFieldRule,
  fusionPresets,
  paperPreset,
  recommendedPreset,
  resolveFusionConfig,
} from './fusion-config.ts';

const FIELDS = Object.keys(fusionConfigSchema.shape) as FusionField[];

describe('a fusion config', () => {
  it.each(Object.entries(fusionPresets))('may be the preset %s', (_, preset) => {
    expect(fusionConfigSchema.parse(preset)).toEqual(preset);
  });

  it('starts from the recommended preset unless the paper’s is asked for', () => {
    expect(resolveFusionConfig()).toEqual(recommendedPreset);
    expect(resolveFusionConfig({ preset: 'paper', epochs: 7 })).toEqual({ ...paperPreset, epochs: 7 });
    expect(resolveFusionConfig({ epochs: undefined })).toEqual(recommendedPreset);
  });

  it.each([
    [{ temperature: 99 }, 'temperature: must be a number from 0.001 to 10, got 99'],
    [{ hidden: 0.5 }, 'hidden: must be a whole number from 1 to 4096, got 0.5'],
    [{ ownerDropout: 1 }, 'ownerDropout: must be a number of at least 0 and below 1, got 1'],
    [{ graph: 'tree' }, 'graph: must be none, given, knn, icdf or gumbel, got "tree"'],
    [{ skip: 'yes' }, 'skip: must be true or false, got "yes"'],
    [{ seed: Number.NaN }, 'seed: must be a whole number of at least 0, got null'],
    [{ epoch: 3 }, 'config: fields must be among preset, method'],
    [{ preset: 'best' }, 'preset: must be paper, graph, recommended or shares, got best'],
  ])('refuses %j and says the rule', (change, message) => {
    expect(() => resolveFusionConfig(change as object)).toThrow(message);
  });

  it('says the rule of every field, and describes it', () => {
    for (const field of FIELDS) {
      expect(fusionFieldRule(field), field).toMatch(/^(a (whole )?number|true or false|.+ or )/);
      expect(fusionConfigSchema.shape[field].description, field).toBeTruthy();
    }
  });

  it('that was resolved is one that the schema takes', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...FIELDS),
        fc.oneof(fc.double(), fc.integer(), fc.boolean(), fc.string()),
        (field, value) => {
          try {
            fusionConfigSchema.parse(resolveFusionConfig({ [field]: value }));
          } catch (error) {
            expect((error as Error).message).toMatch(new RegExp(`^${field}: must be `));
          }
        },
      ),
    );
  });
});
