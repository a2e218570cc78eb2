import { expect, test } from 'vitest';
import { RandomStream } from '../../../core/random.ts';
import { drawGaps, drawPresence, interpolateGaps } from './availability.ts';

const lost = Number.NaN;

test('gaps are filled linearly inside and with the nearest reading at the ends, as pandas does', () => {
  const values = Float64Array.of(lost, lost, 2, lost, lost, 5, 6, lost);
  expect(interpolateGaps(values)).toBe(true);
  expect([...values]).toEqual([2, 2, 2, 3, 4, 5, 6, 6]);
});

test('a window without a single reading cannot be filled', () => {
  expect(interpolateGaps(Float64Array.of(lost, lost))).toBe(false);
});

test('about a third of the windows is missing, every sample reaches an owner and every owner gets one', () => {
  const isPresent = drawPresence(1, 43, 2000);
  const share = 1 - isPresent.reduce((sum, one) => sum + one, 0) / isPresent.length;
  expect(share).toBeGreaterThan(0.2);
  expect(share).toBeLessThan(0.45);
  for (const [owners, samples] of [
    [2, 30],
    [43, 500],
  ]) {
    const few = drawPresence(7, owners, samples);
    for (let s = 0; s < samples; s++) expect(few.subarray(s * owners, (s + 1) * owners).includes(1)).toBe(true);
    expect(few.subarray(-owners).every((one) => one === 1)).toBe(true);
  }
});

test('outages last: neighbouring samples are missing together', () => {
  const owners = 20;
  const isPresent = drawPresence(3, owners, 4000);
  let missing = 0;
  let together = 0;
  for (let k = owners; k < isPresent.length; k++) {
    if (isPresent[k] === 1) continue;
    missing++;
    if (isPresent[k - owners] === 0) together++;
  }
  expect(together / missing).toBeGreaterThan(0.8);
});

test('gaps inside a record are rare as a rule', () => {
  const random = new RandomStream(1, 0);
  const isLost = new Uint8Array(5400);
  let total = 0;
  for (let record = 0; record < 200; record++) {
    drawGaps(random, isLost, 30);
    total += isLost.reduce((sum, one) => sum + one, 0) / isLost.length / 200;
  }
  expect(total).toBeGreaterThan(0.005);
  expect(total).toBeLessThan(0.05);
});
