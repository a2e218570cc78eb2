import { expect, test } from 'vitest';
import { gridStream } from '../random-streams.ts';
import { bridges, buildTopology, lineOf } from './grid-topology.ts';

const topology = buildTopology(gridStream(5, 'topology'), 80);

test('the grid is connected and sparse, as transmission grids are', () => {
  const reached = new Set([0]);
  for (let round = 0; round < topology.buses.length; round++) {
    for (const { from, to } of topology.lines) {
      if (reached.has(from)) reached.add(to);
      if (reached.has(to)) reached.add(from);
    }
  }
  expect(reached.size).toBe(80);
  const degree = (2 * topology.lines.length) / 80;
  expect(degree).toBeGreaterThan(2);
  expect(degree).toBeLessThan(3.5);
});

test('impedance grows with length and falls with circuits', () => {
  expect(lineOf(0, 1, 200, 1).x).toBeCloseTo(2 * lineOf(0, 1, 100, 1).x, 12);
  expect(lineOf(0, 1, 200, 2).x).toBeCloseTo(lineOf(0, 1, 100, 1).x, 12);
  for (const { r, x } of topology.lines) expect(x / r).toBeCloseTo(10, 6);
});

test('bridges are the lines outside every ring', () => {
  const ring = [lineOf(0, 1, 9, 1), lineOf(1, 2, 9, 1), lineOf(2, 0, 9, 1), lineOf(2, 3, 9, 1)];
  expect(bridges(4, ring)).toEqual([false, false, false, true]);
});
