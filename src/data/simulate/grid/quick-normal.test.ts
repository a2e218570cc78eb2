import { expect, test } from 'vitest';
import { RandomStream } from '../../../core/random.ts';
import { QuickNormal } from './quick-normal.ts';

test('quick normals have the moments of the normal distribution', () => {
  const normal = new QuickNormal(new RandomStream(1, 0));
  const n = 400_000;
  const moments = [0, 0, 0, 0];
  for (let i = 0; i < n; i++) {
    const value = normal.next();
    for (let k = 0; k < 4; k++) moments[k] += value ** (k + 1) / n;
  }
  expect(moments[0]).toBeCloseTo(0, 1.9);
  expect(Math.abs(moments[1] - 1)).toBeLessThan(0.01);
  expect(Math.abs(moments[2])).toBeLessThan(0.02);
  expect(Math.abs(moments[3] - 3)).toBeLessThan(0.06);
});
