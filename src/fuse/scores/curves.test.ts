import { expect, test } from 'vitest';
import { atPlaces, classCurves } from './curves.ts';

test('curves of four samples, as scikit-learn draws them', () => {
  const { roc, pr } = classCurves([0.1, 0.4, 0.35, 0.8], [false, false, true, true]);
  expect(roc).toEqual([
    [0, 0],
    [0, 0.5],
    [0.5, 0.5],
    [0.5, 1],
    [1, 1],
  ]);
  expect(pr).toEqual([
    [0.5, 1],
    [0.5, 0.5],
    [1, 2 / 3],
    [1, 0.5],
  ]);
});

test('samples of one score make one point, and one class makes no curve', () => {
  expect(classCurves([0.5, 0.5], [true, false]).roc).toEqual([
    [0, 0],
    [1, 1],
  ]);
  expect(classCurves([0.5, 0.6], [true, true])).toEqual({ roc: [], pr: [] });
});

test('a long curve is thinned and keeps its ends', () => {
  const scores = Array.from({ length: 5000 }, (_, i) => i);
  const { roc } = classCurves(
    scores,
    scores.map((i) => i % 3 === 0),
  );
  expect(roc).toHaveLength(200);
  expect([roc[0], roc.at(-1)]).toEqual([
    [0, 0],
    [1, 1],
  ]);
  expect(atPlaces(roc, [0, 1])).toEqual([
    [0, 0],
    [1, 1],
  ]);
});

test('at fixed places precision is the best that can be had with at least that recall', () => {
  const { pr } = classCurves([0.1, 0.4, 0.35, 0.8], [false, false, true, true]);
  expect(atPlaces(pr, [0, 0.6, 1], 'falling')).toEqual([
    [0, 1],
    [0.6, 2 / 3],
    [1, 2 / 3],
  ]);
});
