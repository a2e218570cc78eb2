import { describe, expect, test } from 'vitest';
import fc from '../../../test/support/seeded-fast-check.ts';
import { clockTime } from './clock-time.ts';
import { findWindows, type WindowRule } from './find-windows.ts';

const hourly: WindowRule = { rate: { count: 12, seconds: 3600 }, length: 12, gaps: 'error', formatTime: clockTime };
const start = Date.UTC(2012, 2, 1) / 1000;
/** Five-minute times, `from` and `to` in readings since midnight. */
const readings = (from: number, to: number) =>
  Float64Array.from({ length: to - from }, (_, i) => start + (from + i) * 300);
const without = (times: Float64Array, ...rows: number[]) => times.filter((_, row) => !rows.includes(row));

test('cuts whole hours', () => {
  const { numbers, rows, dropped } = findWindows(readings(0, 36), hourly, 'x');
  expect(numbers.map((hour) => clockTime(hour * 3600))).toEqual([
    '2012-03-01T00:00',
    '2012-03-01T01:00',
    '2012-03-01T02:00',
  ]);
  expect(rows).toEqual([0, 12, 24]);
  expect(dropped).toBe(0);
});

test('leaves out the hours that the record enters and leaves half-way', () => {
  expect(findWindows(readings(5, 40), hourly, 'x')).toMatchObject({ rows: [7, 19], dropped: 0 });
  expect(findWindows(readings(3, 9), hourly, 'x').rows).toEqual([]);
});

test('an hour that is missing altogether spans no window', () => {
  const times = without(readings(0, 36), ...Array.from({ length: 12 }, (_, i) => 12 + i));
  expect(findWindows(times, hourly, 'x')).toMatchObject({ rows: [0, 12], dropped: 0 });
});

test('a window that spans a gap is an error that names it, or is dropped', () => {
  const times = without(readings(0, 36), 15, 16);
  expect(() => findWindows(times, hourly, 'x')).toThrow(
    expect.objectContaining({
      code: 'F3_DATA_GAP',
      message: 'x: window 2012-03-01T01:00 must have 12 readings, got 10 (none at 2012-03-01T01:15)',
    }),
  );
  expect(findWindows(times, { ...hourly, gaps: 'drop' }, 'x')).toMatchObject({ rows: [0, 22], dropped: 1 });
});

test.each([
  ['in the first hour', without(readings(0, 24), 3)],
  ['in the last hour', without(readings(0, 24), 20)],
  ['that ends an hour inside the record', without(readings(0, 36), 22, 23)],
])('a gap %s is a gap too', (_, times) => {
  expect(() => findWindows(times, hourly, 'x')).toThrow(expect.objectContaining({ code: 'F3_DATA_GAP' }));
});

test.each([
  [
    'run backwards',
    [0, 300, 900, 600],
    'F3_DATA_ORDER',
    'x: times must ascend, got 2012-03-01T00:10 after 2012-03-01T00:15',
  ],
  [
    'repeat',
    [0, 300, 300],
    'F3_DATA_DUPLICATE',
    'x: times must occur once, got 2012-03-01T00:05 after 2012-03-01T00:05',
  ],
  ['lie off the grid', [0, 300, 700], 'F3_DATA_RATE', 'x: times must lie on the grid of 12/h, got 2012-03-01T00:11:40'],
  ['are NaN', [0, Number.NaN], 'F3_DATA_RATE', 'got'],
])('times must not %s', (_, seconds, code, message) => {
  const rule = { ...hourly, formatTime: (t: number) => (Number.isNaN(t) ? 'NaN' : clockTime(t)) };
  expect(() =>
    findWindows(
      Float64Array.from(seconds, (s) => start + s),
      rule,
      'x',
    ),
  ).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
});

test('stamps rounded to milliseconds lie on a grid of 60 Hz, also years after the epoch', () => {
  const times = Float64Array.from({ length: 600 }, (_, i) => start + Math.round((i * 1000) / 60) / 1000);
  const rule: WindowRule = { rate: { count: 60, seconds: 1 }, length: 60, gaps: 'error', formatTime: clockTime };
  expect(findWindows(times, rule, 'x').rows).toEqual(Array.from({ length: 10 }, (_, i) => 60 * i));
});

test('with gaps dropped, windows are exactly the complete ones', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: -50, max: 120 })), (steps) => {
      steps.sort((a, b) => a - b);
      const rule: WindowRule = { rate: { count: 1, seconds: 1 }, length: 4, gaps: 'drop', formatTime: String };
      const { numbers, rows } = findWindows(Float64Array.from(steps), rule, 'x');
      const complete = Array.from({ length: 60 }, (_, i) => i - 20).filter((k) =>
        [0, 1, 2, 3].every((i) => steps.includes(4 * k + i)),
      );
      expect(numbers).toEqual(complete);
      expect(rows.map((row) => steps[row])).toEqual(complete.map((k) => 4 * k));
    }),
  );
});

describe('clockTime', () => {
  test.each([
    [start, '2012-03-01T00:00'],
    [start + 61, '2012-03-01T00:01:01'],
    [start + 0.4, '2012-03-01T00:00:00.4'],
    [start + 1 / 60, '2012-03-01T00:00:00.016667'],
    [-0.25, '1969-12-31T23:59:59.75'],
  ])('%d is %s', (seconds, text) => {
    expect(clockTime(seconds)).toBe(text);
  });
});
