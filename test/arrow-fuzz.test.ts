// A short run of what `npm run fuzz` does at length with the readers of Arrow.
import { expect, it } from 'vitest';
import { fuzzArrow } from './support/arrow-fuzz.ts';
import { FUZZ_SEED } from './support/seeded-fast-check.ts';

it('spoilt Arrow files are refused with a code, or read as they are written', () => {
  const { faults, accepted, refused } = fuzzArrow({ runs: 3000, seed: FUZZ_SEED });
  expect(faults).toEqual([]);
  expect(accepted).toBeGreaterThan(30);
  expect(Object.keys(refused).length).toBeGreaterThan(2);
});
