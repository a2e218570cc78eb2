import { expect, test } from 'vitest';
import { TrainingCurve } from './training-curve.ts';

const epoch = (number: number, more = {}) => ({
  epoch: number,
  trainLoss: 1 / number,
  validationLoss: 2 / number,
  ...more,
});

test('a curve stays short, keeps its beginning and its newest epochs, and its numbers rise', () => {
  const curve = new TrainingCurve();
  for (let i = 1; i <= 5000; i++) curve.add(epoch(i));
  const { points } = curve;
  expect(points.length).toBeLessThanOrEqual(300);
  expect(points[0]).toMatchObject({ number: 1, epoch: 1 });
  expect(points.slice(-50).map((point) => point.epoch)).toEqual(Array.from({ length: 50 }, (_, i) => 4951 + i));
  for (let i = 1; i < points.length; i++) expect(points[i].number).toBeGreaterThan(points[i - 1].number);
});

test('epochs that a training repeats after its checkpoint replace the earlier ones, of the same fit only', () => {
  const before = new TrainingCurve();
  for (const learningRate of [0.1, 0.2]) for (const i of [1, 2, 3]) before.add(epoch(i, { learningRate }));
  const curve = new TrainingCurve(before.points);
  curve.add(epoch(2, { learningRate: 0.2 }));
  expect(curve.points.map(({ epoch: each, learningRate }) => [each, learningRate])).toEqual([
    [1, 0.1],
    [2, 0.1],
    [3, 0.1],
    [1, 0.2],
    [2, 0.2],
  ]);
  expect(curve.points.at(-1)?.number).toBe(7);
});

test('what is no epoch and what is not finite is not drawn', () => {
  const curve = new TrainingCurve();
  curve.add({ search: { done: 1 } });
  curve.add({ epoch: 1, trainLoss: Number.NaN });
  expect(curve.points).toEqual([{ number: 1, epoch: 1, trainLoss: null, validationLoss: null }]);
});
