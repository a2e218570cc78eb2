import { describe, expect, it } from 'vitest';
import { APART, EVERYWHERE, plantedClasses, simulatePlanted, TOGETHER } from './planted.ts';

const [OWNERS, WIDTH, SAMPLES] = [12, 6, 6000];
const options = { owners: OWNERS, samples: SAMPLES, width: WIDTH, noise: 0, seed: 5 };

describe('planted data', () => {
  const { embeddings, labels, truth } = simulatePlanted(options);
  const samplesOf = (label: number) => Array.from(labels.keys()).filter((s) => labels[s] === label);
  /** The kind that owner i saw in sample s, read off its embedding. */
  const kind = (s: number, i: number) => {
    const at = (s * OWNERS + i) * WIDTH;
    return truth.permutations[i][embeddings.subarray(at, at + WIDTH).indexOf(1)];
  };
  const shareOf = (label: number, holds: (s: number) => boolean) =>
    samplesOf(label).filter(holds).length / samplesOf(label).length;

  it('has a symmetric graph in which every owner has two neighbours on either side', () => {
    for (let i = 0; i < OWNERS; i++) {
      const row = truth.adjacency.subarray(i * OWNERS, (i + 1) * OWNERS);
      expect(row.reduce((sum, link) => sum + link, 0)).toBe(4);
      expect(row[i]).toBe(0);
      row.forEach((link, j) => {
        expect(link).toBe(truth.adjacency[j * OWNERS + i]);
        const between = [0, 1].map((axis) => truth.positions[2 * i + axis] - truth.positions[2 * j + axis]);
        if (i !== j) expect(link === 1).toBe(Math.hypot(...between) < 1.001);
      });
    }
  });

  it('shows most owners the kind that the label names, in their own order of numbers', () => {
    for (let k = 0; k < WIDTH; k++) {
      expect(samplesOf(EVERYWHERE + k).length).toBeGreaterThan(200);
      for (let i = 0; i < OWNERS; i++) {
        expect(shareOf(EVERYWHERE + k, (s) => kind(s, i) === k)).toBeGreaterThan(0.7);
      }
    }
  });

  it('tells apart from together to nobody alone: every owner sees every kind as often in both', () => {
    for (let i = 0; i < OWNERS; i++) {
      for (let k = 0; k < WIDTH; k++) {
        const [apart, together] = [APART, TOGETHER].map((label) => shareOf(label, (s) => kind(s, i) === k));
        // Five standard deviations of a share of about 2100 samples.
        expect(Math.abs(apart - 1 / WIDTH)).toBeLessThan(0.041);
        expect(Math.abs(together - 1 / WIDTH)).toBeLessThan(0.041);
      }
    }
  });

  it('makes linked owners agree more often when together, and no other two', () => {
    for (let i = 0; i < OWNERS; i++) {
      for (let j = i + 1; j < OWNERS; j++) {
        const [apart, together] = [APART, TOGETHER].map((label) => shareOf(label, (s) => kind(s, i) === kind(s, j)));
        expect(Math.abs(apart - 1 / WIDTH)).toBeLessThan(0.041);
        if (truth.adjacency[i * OWNERS + j] === 1) expect(together).toBeGreaterThan(0.28);
        else expect(Math.abs(together - 1 / WIDTH)).toBeLessThan(0.041);
      }
    }
  });

  it('is the same for the same seed and another for another', () => {
    expect(simulatePlanted(options).embeddings).toEqual(embeddings);
    expect(simulatePlanted({ ...options, seed: 6 }).embeddings).not.toEqual(embeddings);
  });

  it('names one class per label', () => {
    expect(plantedClasses(2)).toEqual(['apart', 'together', 'everywhere-0', 'everywhere-1']);
    expect(Math.max(...labels)).toBe(plantedClasses(WIDTH).length - 1);
  });
});
