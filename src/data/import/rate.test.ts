import { expect, test } from 'vitest';
import { formatRate, inferRate, parseDuration, parseRate } from './rate.ts';

test.each([
  ['30Hz', { count: 30, seconds: 1 }, '30 Hz'],
  ['60 hz', { count: 60, seconds: 1 }, '60 Hz'],
  ['12/h', { count: 12, seconds: 3600 }, '12/h'],
  ['1/7s', { count: 1, seconds: 7 }, '1/7s'],
  ['1/5min', { count: 1, seconds: 300 }, '1/5min'],
  ['1/d', { count: 1, seconds: 86_400 }, '1/d'],
])('%s is a rate', (text, rate, formatted) => {
  expect(parseRate(text)).toEqual(rate);
  expect(formatRate(rate)).toBe(formatted);
  expect(parseRate(formatted)).toEqual(rate);
});

test.each(['', '30', '0Hz', '0/h', '1/0s', 'fast', '12/year'])('%j is no rate', (text) => {
  expect(() => parseRate(text)).toThrow(`rate: must be like 30Hz, 12/h or 1/7s (units s, min, h, d), got ${text}`);
});

test('durations', () => {
  expect(['1s', '15min', '2h', '1d'].map(parseDuration)).toEqual([1, 900, 7200, 86_400]);
  expect(['12', '0s', '1 year', ''].map(parseDuration)).toEqual([undefined, undefined, undefined, undefined]);
});

const start = 1_330_560_000;
const every = (step: number, round = (x: number) => x) =>
  Float64Array.from({ length: 200 }, (_, i) => start + round(i * step));

test.each([
  ['five minutes', every(300), '12/h'],
  ['30 Hz in microseconds', every(1 / 30, (t) => Math.round(t * 1e6) / 1e6), '30 Hz'],
  ['60 Hz in milliseconds', every(1 / 60, (t) => Math.round(t * 1e3) / 1e3), '60 Hz'],
  ['seven seconds', every(7), '1/7s'],
  ['days', every(86_400), '1/d'],
])('tells the rate of %s from the times', (_, times, text) => {
  expect(formatRate(inferRate(times)!)).toBe(text);
});

test('gaps do not disturb it', () => {
  expect(inferRate(every(300).filter((_, i) => i % 10 > 1))).toEqual({ count: 12, seconds: 3600 });
});

test('cannot be told from one time or from an odd step', () => {
  expect(inferRate(Float64Array.of(1))).toBeUndefined();
  expect(inferRate(every(Math.PI))).toBeUndefined();
});
