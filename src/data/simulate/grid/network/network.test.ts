import { expect, test } from 'vitest';
import { at, inverse } from './complex.ts';
import { type Line, lineOf } from './grid-topology.ts';
import { Network } from './network.ts';

const line: Line = { ...lineOf(0, 1, 120, 1), charging: 0 };

test('a fault of no admittance changes nothing', () => {
  const sound = Network.of([line], 2);
  const faulted = sound.copy();
  faulted.faultLine(0, 0.3, [0, 0]);
  for (const part of ['aa', 'ab', 'bb'] as const) {
    for (const k of [0, 1]) expect(faulted[part][k]).toBeCloseTo(sound[part][k], 8);
  }
});

test('behind a bolted fault each end feeds its own section only', () => {
  const network = Network.of([line], 2);
  network.faultLine(0, 0.25, [1e9, 0]);
  const [re, im] = inverse([0.25 * line.r, 0.25 * line.x]);
  expect(at(network.aa, 0)[0]).toBeCloseTo(re, 4);
  expect(at(network.aa, 0)[1]).toBeCloseTo(im, 4);
  expect(Math.hypot(...at(network.ab, 0))).toBeLessThan(1e-5);
});

test('an open line carries nothing and closes again to what it was', () => {
  const network = Network.of([line], 2);
  const before = network.diagonal();
  network.openLine(0);
  expect([...network.diagonal()]).toEqual([0, 0, 0, 0]);
  network.closeLine(0);
  expect(network.diagonal()).toEqual(before);
});
