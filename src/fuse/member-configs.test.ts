import { expect, test } from 'vitest';
import { type FusionConfig, recommendedPreset } from './fusion-config.ts';
import { memberConfigs } from './member-configs.ts';

const boosting: FusionConfig = { ...recommendedPreset, method: 'boosting', ownerDropout: 0 };
const seeds = (configs: readonly FusionConfig[], fits: number) =>
  memberConfigs(configs, fits).map(({ method, seed }) => [method, seed]);

test('members are each config under so many seeds', () => {
  const [first, second] = [
    ['consensus', 0],
    ['consensus', 1],
  ];
  expect(seeds([recommendedPreset], 2)).toEqual([first, second]);
  expect(seeds([{ ...boosting, ownerDropout: 0.5 }], 2)).toEqual([
    ['boosting', 0],
    ['boosting', 1],
  ]);
});

test('trees that saw everybody are made once: under another seed they are the same trees', () => {
  expect(seeds([recommendedPreset, boosting], 2)).toEqual([
    ['consensus', 0],
    ['consensus', 1],
    ['boosting', 0],
  ]);
  expect(seeds([boosting], 1)).toEqual([['boosting', 0]]);
});

test.each([
  ['boosting without owner dropout', boosting],
  ['majority', { ...recommendedPreset, method: 'majority' as const }],
])('several fits of %s are refused, as they would agree about everything', (name, config) => {
  const message = `fits: must be 1 where no seed changes the model (method ${name}), got 5`;
  expect(() => memberConfigs([config], 5)).toThrow(message);
});
