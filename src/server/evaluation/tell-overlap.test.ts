import { expect, it } from 'vitest';
import { blurred } from './tell-overlap.ts';

const chances = Array.from({ length: 1000 }, (_, i) => i / 1000);

it('says nothing of a few samples, whatever chance says', () => {
  for (const count of [0, 1, 2, 4])
    expect(new Set(chances.map((chance) => blurred(count, chance)))).toEqual(new Set([0]));
});

it.each([25, 60, 104, 995, 2856, 1_000_000])('%i differs from one more by a tenth of its answers at most', (count) => {
  const [own, next] = [count, count + 1].map((each) => chances.map((chance) => blurred(each, chance)));
  expect(own.filter((told, i) => told !== next[i]).length).toBeLessThanOrEqual(100);
  expect(new Set(own).size).toBeGreaterThan(1);
});

it.each([300, 2856, 40_000])('%i is told about right', (count) => {
  const told = chances.map((chance) => blurred(count, chance));
  const mean = told.reduce((sum, one) => sum + one) / told.length;
  expect(Math.abs(mean / count - 1)).toBeLessThan(0.01);
  for (const one of told) expect(Math.abs(one / count - 1)).toBeLessThan(0.06);
});
