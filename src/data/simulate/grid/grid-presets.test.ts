import { expect, test } from 'vitest';
import { planGrid } from './grid-presets.ts';

test("the presets have the paper's sizes, skewed classes and every sample in a class", () => {
  const b = planGrid({ preset: 'pmu-b', seed: 1 });
  const c = planGrid({ preset: 'pmu-c', seed: 1 });
  expect([b.owners, b.samples, c.owners, c.samples]).toEqual([43, 4853, 188, 1884]);
  for (const { classCounts, samples, buses, owners } of [b, c]) {
    expect(classCounts.reduce((sum, count) => sum + count, 0)).toBe(samples);
    expect(Math.max(...classCounts) / samples).toBeGreaterThan(0.5);
    expect(Math.min(...classCounts)).toBeGreaterThanOrEqual(24);
    expect(buses).toBeGreaterThanOrEqual(owners);
  }
});
