import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../core/random.ts';
import { answerBound, answersOf, fitTable } from './answer-table.ts';
import { windowTargets } from './recover-windows.ts';
import { rowsOf } from './rows.ts';

const [LENGTH, SAMPLES] = [3, 900];
const random = new RandomStream(5, 0);
const answers = Float64Array.from({ length: SAMPLES }, (_, row) => row % 3);
// Readings are 10 times a number that is not in order of the answers, plus noise: a straight line sees nothing, a table all there is.
const means = [10, -20, 10];
const noise = Array.from({ length: SAMPLES * LENGTH }, () => 10 * random.normal());
const windows = Float64Array.from(noise, (value, at) => value + means[Math.floor(at / LENGTH) % 3]);
const [embeddings, targets] = [rowsOf(answers, 1), windowTargets(rowsOf(windows, LENGTH), LENGTH, 1)];

describe('answers', () => {
  it('are told from embeddings by how many values there are', () => {
    expect(new Set(answersOf(embeddings))).toEqual(new Set([0, 1, 2]));
    expect(answersOf(rowsOf(noise.slice(0, SAMPLES), 1))).toBeUndefined();
    expect(answerBound(rowsOf(noise.slice(0, SAMPLES), 1), targets)).toBeUndefined();
  });

  it('give away at most what the means behind them vary', () => {
    const bound = answerBound(embeddings, targets);
    // Means of 10, −20, 10 vary by 200 about 0; a window's mean has noise of 100/3 beside, a single reading of 100.
    expect(bound).toMatchObject({ answers: 3 });
    expect(bound?.mean).toBeCloseTo(200 / (200 + 100 / 3), 1);
    expect(bound?.every).toBeCloseTo(200 / 300, 1);
  });

  it('are read back by a table, which guesses the mean for one that it has not seen', () => {
    const attacker = fitTable(rowsOf([0, 0, 1], 1), rowsOf([1, 3, 10], 1));
    expect([...attacker(rowsOf([0, 1, 7], 1)).values]).toEqual([2, 10, 14 / 3]);
  });

  it('of a constant reading give nothing away', () => {
    const flat = windowTargets(rowsOf(new Float64Array(SAMPLES * LENGTH).fill(7.1), LENGTH), LENGTH, 1);
    expect(answerBound(embeddings, flat)).toEqual({ answers: 3, mean: 0, last: 0, every: 0 });
  });
});
