// Planted answers: what is told of the readings and of the label is known, so it can be said which levels have to go.
import { describe, expect, it } from 'vitest';
import { RandomStream } from '../core/random.ts';
import { readBySimilarity, readByTable, readingsOf } from './answer-readers.ts';
import { type AnsweredWindows, mergeLevels } from './merge-levels.ts';

const [LENGTH, SAMPLES, FEW] = [4, 1200, 300];
const CUTS = [Array.from({ length: 15 }, (_, i) => (i + 1) / 16)];

/** Readings of 0 in a tenth of the windows, all of one answer (.97): what gives most away and says nothing of the label. */
function planted(change: Partial<AnsweredWindows> = {}): AnsweredWindows {
  const random = new RandomStream(7, 0);
  const odds = new Float32Array(SAMPLES);
  const labels = new Int32Array(SAMPLES);
  const windows = new Float32Array(SAMPLES * LENGTH);
  for (let row = 0; row < SAMPLES; row++) {
    const isSilent = row % 10 === 0;
    odds[row] = isSilent ? 0.97 : random.uniform();
    labels[row] = Number(random.uniform() < (isSilent ? 0.5 : odds[row]));
    for (let t = 0; t < LENGTH; t++) windows[row * LENGTH + t] = isSilent ? 0 : 60 + 3 * random.normal();
  }
  const isHeldOut = Array.from({ length: SAMPLES }, (_, row) => row % 4 === 3);
  return { odds, width: 1, labels, isHeldOut, windows, length: LENGTH, variates: 1, ...change };
}

/** Share of the variance of windows' means that lies between levels. */
function explained({ odds, windows }: AnsweredWindows, cuts: readonly number[]): number {
  const means = Array.from(odds, (_, row) =>
    windows.subarray(row * LENGTH, (row + 1) * LENGTH).reduce((a, b) => a + b),
  );
  const groups = new Map<number, number[]>();
  for (const [row, value] of odds.entries()) {
    const level = cuts.filter((cut) => value >= cut).length;
    groups.set(level, [...(groups.get(level) ?? []), means[row]]);
  }
  const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length;
  const [all, total] = [mean(means), means.reduce((sum, value) => sum + (value - mean(means)) ** 2, 0)];
  return [...groups.values()].reduce((sum, list) => sum + list.length * (mean(list) - all) ** 2, 0) / total;
}

describe('levels that are merged', () => {
  it('are as they were where they keep to the limit', () => {
    expect(mergeLevels(CUTS, planted(), 1)).toEqual(CUTS);
  });

  it('are those that give the readings away, and the others stay apart', () => {
    const of = planted();
    expect(explained(of, CUTS[0])).toBeGreaterThan(0.5);
    const [cuts] = mergeLevels(CUTS, of, 0.4);
    expect(explained(of, cuts)).toBeLessThanOrEqual(0.4);
    // Silent windows are hidden among those of neighbouring answers; what tells the label at the other end is kept.
    expect(cuts.length).toBeGreaterThan(6);
    expect(cuts).toContain(1 / 16);
    expect(cuts).not.toContain(15 / 16);
  });

  it('are fewer under a stricter limit, down to one level that says nothing', () => {
    const counts = [0.5, 0.2, 0.05, 1e-9].map((limit) => mergeLevels(CUTS, planted(), limit)[0].length);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
    expect(counts.at(-1)).toBe(0);
  });

  it('are judged class by class and together where there are several', () => {
    const { odds, ...rest } = planted();
    const random = new RandomStream(8, 0);
    const two = Float32Array.from({ length: 2 * SAMPLES }, (_, at) => (at % 2 ? random.uniform() : odds[at >> 1]));
    const labels = rest.labels.map((label, row) => label + Number(two[2 * row + 1] > 0.5));
    const [first, second] = mergeLevels([CUTS[0], [0.25, 0.5, 0.75]], { ...rest, odds: two, width: 2, labels }, 0.4);
    expect(explained(planted(), first)).toBeLessThanOrEqual(0.4);
    expect(second).toContain(0.5); // It tells the label, and nothing of the readings.
  });

  it('are fewer where several numbers tell together what none of them tells by itself, also where hardly two answers are the same', () => {
    const random = new RandomStream(9, 0);
    const [odds, windows] = [new Float32Array(2 * FEW), new Float32Array(FEW * LENGTH)];
    const labels = new Int32Array(FEW);
    for (let row = 0; row < FEW; row++) {
      const [level, other] = [random.normal(), random.normal()];
      odds.set([other, other + level], 2 * row);
      windows.fill(60 + 10 * level, row * LENGTH, (row + 1) * LENGTH);
      labels[row] = Number(other > 0);
    }
    const cuts = [1, Math.SQRT2].map((wide) => Array.from({ length: 15 }, (_, k) => (wide * (k - 7)) / 4));
    const isHeldOut = Array.from(labels, (_, row) => row % 8 === 0);
    const answered = { odds, width: 2, labels, isHeldOut, windows, length: LENGTH, variates: 1 };
    const reading = readingsOf(answered);
    const levels = (ends: readonly number[][]) =>
      ends.map((list, c) => Int32Array.from(labels, (_, row) => list.filter((cut) => odds[2 * row + c] >= cut).length));
    expect(readByTable(levels(cuts)[0], answered, reading)).toBeLessThan(0.1);
    expect(readByTable(levels(cuts)[1], answered, reading)).toBeLessThan(0.6);
    expect(readBySimilarity(levels(cuts), reading)).toBeGreaterThan(0.8);
    const kept = mergeLevels(cuts, answered, 0.75);
    expect(readBySimilarity(levels(kept), reading)).toBeLessThanOrEqual(0.6);
    expect(kept.flat().length).toBeGreaterThan(0);
  });

  it.each([
    ['readings that never change', { windows: new Float32Array(SAMPLES * LENGTH).fill(5) }],
    ['nothing held out', { isHeldOut: new Array(SAMPLES).fill(false) }],
    ['one class only', { labels: new Int32Array(SAMPLES) }],
    ['one answer only', { odds: new Float32Array(SAMPLES).fill(0.5) }],
  ])('need no special care for %s', (_, change) => {
    const of = planted(change);
    const [cuts] = mergeLevels(CUTS, of, 0.4);
    expect(cuts.every((cut) => CUTS[0].includes(cut))).toBe(true);
    if (!('windows' in change)) expect(explained(of, cuts)).toBeLessThanOrEqual(0.4);
    else expect(cuts).toEqual(CUTS[0]);
  });
});
