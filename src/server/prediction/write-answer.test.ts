import { expect, it } from 'vitest';
import { writeAnswer } from './write-answer.ts';

it.each([0, 1, 50, 51, 1234])('%i items are written as JSON writes them', async (count) => {
  const head = { model: 3, classes: ['a"', 'ü'] };
  const items = Array.from({ length: count }, (_, i) => ({ sample: `s,${i}]`, probabilities: [i / 7, 1], owners: [] }));
  expect(String(await writeAnswer(head, 'predictions', items))).toBe(JSON.stringify({ ...head, predictions: items }));
});

it('an answer of many megabytes lets others have their turn at every eighth of one', async () => {
  const items = new Array(2000).fill({ owners: new Array(200).fill('a name of an owner') });
  let isOver = false;
  let turns = 0;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const { length } = await writeAnswer({}, 'predictions', items);
  isOver = true;
  expect(length).toBeGreaterThan(8_000_000);
  expect(turns).toBeGreaterThanOrEqual(Math.floor(length / (2 * 128 * 1024)));
});
