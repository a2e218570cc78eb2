import { expect, it } from 'vitest';
import { softmaxRows } from './softmax-rows.ts';

it('is the softmax of each row, whatever the size of its numbers', () => {
  const [a, b, c, d] = softmaxRows(Float32Array.of(0, Math.log(3), 1000, 1000), 2);
  expect(a).toBeCloseTo(0.25, 7);
  expect(b).toBeCloseTo(0.75, 7);
  expect([c, d]).toEqual([0.5, 0.5]);
});
