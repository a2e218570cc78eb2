import { expect, test } from 'vitest';
import { RandomStream } from '../../../core/random.ts';
import { QuickNormal } from './quick-normal.ts';
import { EventSeries, largestScore, RECORD_SECONDS, windowStart } from './record.ts';

const noise = new QuickNormal(new RandomStream(1, 0));
const quiet = () => Float32Array.from({ length: 30 * RECORD_SECONDS }, () => 1 + 0.001 * noise.next());

test('the largest z-score finds a step, though the record stays at the new level', () => {
  const record = quiet();
  for (let frame = 3000; frame < record.length; frame++) record[frame] += 0.02;
  const { second, score } = largestScore(record, 30);
  expect(second).toBeGreaterThanOrEqual(100);
  expect(second).toBeLessThan(101);
  expect(score).toBeGreaterThan(6);
});

test('lost readings neither count nor hide what lies beside them', () => {
  const record = quiet();
  record.fill(Number.NaN, 2000, 2100);
  record[2101] = 0.9;
  expect(largestScore(record, 30).second).toBeCloseTo(2101 / 30, 9);
  expect(largestScore(new Float32Array(5400).fill(Number.NaN), 30)).toEqual({ second: 0, score: 0 });
});

test('in pure noise the largest z-score stays where that of noise lies', () => {
  const { score } = largestScore(quiet(), 30);
  expect(score).toBeGreaterThan(3);
  expect(score).toBeLessThan(5);
});

test('a window starts ten frames before its peak and lies inside the record', () => {
  expect(windowStart(100)).toBeCloseTo(100 - 10 / 30, 9);
  expect(windowStart(100 + 1 / 60)).toBeCloseTo(100 - 10 / 30, 9);
  expect(windowStart(0.1)).toBe(0);
  expect(windowStart(RECORD_SECONDS)).toBe(RECORD_SECONDS - 1);
});

function series(shape: (frame: number) => number, hertz?: number): Float32Array {
  const magnitudes = Float64Array.from({ length: 150 }, (_, frame) => shape(frame));
  const record = new Float32Array(1000);
  new EventSeries({ magnitudes, frames: 150, frequency: 0, isStable: true }, 30, 0, 1, hertz).fill(record, 1, 200);
  return record;
}

test('before the response a channel is steady, after it the level goes on without a jump', () => {
  const record = series((frame) => (frame < 5 ? 1 : 0.9 + 0.02 * Math.exp(-frame / 60)));
  expect(record[0]).toBe(1);
  expect(Math.abs(record[350] - record[349])).toBeLessThan(1e-3);
  expect(record[999]).toBeCloseTo(0.9, 2);
});

test('a forced oscillation goes on as the sinusoid it was', () => {
  const shape = (frame: number) => 1 + 0.01 * Math.sin(2 * Math.PI * 0.4 * (frame / 30) + 0.7);
  const record = series(shape, 0.4);
  for (const frame of [350, 500, 999]) expect(record[frame]).toBeCloseTo(shape(frame - 200), 6);
});
