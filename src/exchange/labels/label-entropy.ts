// [wire] How much local models disagree: per sample, the entropy of the labels the owners predict (the paper's conflict figure).
import { indexOfMax } from '../../core/index-of-max.ts';

/** The part of a bundle that votes. */
export interface Voter {
  samples: readonly string[];
  classes: number;
  /** [sample, class] */
  probabilities: Float32Array;
}

/** How much owners disagree about each sample. */
export interface LabelEntropy {
  /** Ids of the samples, in the order of the rows. */
  samples: string[];
  /** [sample] −Σ p log p over the shares p of owners that predict each class, in nats; 0 when all agree */
  entropies: Float64Array;
  /** [sample] owners that had an opinion */
  voters: Int32Array;
}

/** The samples stand in the order of their first appearance. */
export function labelEntropies(owners: readonly Voter[]): LabelEntropy {
  const votes = new Map<string, number[]>();
  for (const { samples, classes, probabilities } of owners) {
    samples.forEach((sample, row) => {
      const counts = votes.get(sample) ?? [];
      const label = indexOfMax(probabilities.subarray(row * classes, (row + 1) * classes));
      counts[label] = (counts[label] ?? 0) + 1;
      votes.set(sample, counts);
    });
  }
  const counts = [...votes.values()].map((list) => Object.values(list));
  return {
    samples: [...votes.keys()],
    entropies: Float64Array.from(counts, entropy),
    voters: Int32Array.from(counts, (list) => list.reduce((sum, count) => sum + count, 0)),
  };
}

function entropy(counts: number[]): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return counts.reduce((sum, count) => sum - (count / total) * Math.log(count / total), 0);
}

/** How much owners disagree, over all samples. */
export interface EntropySummary {
  /** Number of samples. */
  samples: number;
  /** Mean entropy over the samples, in nats. */
  mean: number;
  /** Share of samples on which all owners agree. */
  unanimous: number;
  /** Equal bins from 0 to the largest entropy possible, log(classes). */
  histogram: { from: number; to: number; count: number }[];
}

/** Mean, share of agreement and histogram of what `labelEntropies` gave. */
export function summariseEntropy({ entropies }: LabelEntropy, classes: number, bins = 20): EntropySummary {
  const width = Math.log(classes) / bins;
  const histogram = Array.from({ length: bins }, (_, b) => ({ from: b * width, to: (b + 1) * width, count: 0 }));
  for (const value of entropies) histogram[Math.min(bins - 1, Math.floor(value / width))].count++;
  return {
    samples: entropies.length,
    mean: entropies.reduce((sum, value) => sum + value, 0) / entropies.length,
    unanimous: entropies.filter((value) => value === 0).length / entropies.length,
    histogram,
  };
}
