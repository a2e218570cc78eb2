// [coordinator] What a prediction loses when owners are absent: scores against the share of owners that say nothing.
import type { Engine } from '../core/engine/engine.ts';
import { meanAndDeviation } from '../core/mean-and-deviation.ts';
import { RandomStream } from '../core/random.ts';
import type { Joined } from '../fuse/join/bundle-join.ts';
import { type FusedModel, predictProbabilities } from '../fuse/model/fused-model.ts';
import type { PredictionGraphs } from '../fuse/model/predict-logits.ts';
import { type Scores, scores } from '../fuse/scores/scores.ts';

/** Scores with a share of the owners absent. */
export interface AbsencePoint {
  /** Share of owners that are absent from every sample. */
  absent: number;
  /** Mean and standard deviation over `repeats` random choices of them. */
  f1: number;
  f1Deviation: number;
  /** Mean and standard deviation of the ROC AUC over the same choices. */
  auc: number;
  aucDeviation: number;
}

/** How to measure what absent owners cost. */
export interface AbsenceOptions {
  /** Shares of owners to leave out. The default is every tenth from 0 to 0.9; somebody always stays. */
  shares?: readonly number[] | undefined;
  /** How many random choices of owners are measured for each share. The default is 5. */
  repeats?: number | undefined;
  /** Seed of those choices. The default is 0. */
  seed?: number | undefined;
  /** How many sampled graphs are averaged, or the mean graph. By default the model's config decides. */
  graphs?: PredictionGraphs | undefined;
}

const STREAM = 0x6162_7365;
const TENTHS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/** `labels`: [row] */
export function absenceCurve(
  engine: Engine,
  model: FusedModel,
  joined: Joined,
  rows: Uint32Array,
  labels: ArrayLike<number>,
  { shares = TENTHS, repeats = 5, seed = 0, graphs }: AbsenceOptions = {},
): AbsencePoint[] {
  const owners = joined.owners.length;
  const classes = model.facts.classes.length;
  return shares.map((absent) => {
    const measured = absentChoices(owners, absent, { repeats, seed }).map((away) => {
      const left = withoutOwners(engine, joined, rows, away);
      const all = Uint32Array.from(rows, (_, i) => i);
      const probabilities = predictProbabilities(engine, model, left, all, graphs);
      for (const tensor of [left.embeddings, left.present]) engine.free(tensor);
      return scores(probabilities, labels, classes, model.facts.decision);
    });
    return absencePoint(absent, measured);
  });
}

/** Random choices of owners that are absent, by number; always the same ones for the same owners, share and seed. */
export function absentChoices(
  owners: number,
  share: number,
  { repeats = 5, seed = 0 }: Pick<AbsenceOptions, 'repeats' | 'seed'> = {},
): Set<number>[] {
  // A share below 1 leaves somebody: with five owners, 90 % are four.
  const count = Math.min(Math.round(share * owners), owners - 1);
  // Nobody absent is one case, however often it is repeated.
  return Array.from({ length: count === 0 ? 1 : repeats }, (_, i) => {
    const order = new RandomStream(seed, STREAM + i).permutation(owners);
    return new Set(order.subarray(0, count));
  });
}

/** Scores under several choices of the absent owners, as one point. */
export function absencePoint(absent: number, measured: readonly Pick<Scores, 'f1' | 'auc'>[]): AbsencePoint {
  const { mean: f1, deviation: f1Deviation = 0 } = meanAndDeviation(measured.map((score) => score.f1));
  const { mean: auc, deviation: aucDeviation = 0 } = meanAndDeviation(measured.map((score) => score.auc));
  return { absent, f1, f1Deviation, auc, aucDeviation };
}

/** `rows` of `joined` as if the owners numbered in `absent` had sent nothing. The caller frees its tensors. */
export function withoutOwners(engine: Engine, joined: Joined, rows: Uint32Array, absent: ReadonlySet<number>): Joined {
  const { owners, width, votes } = joined;
  const embeddings = engine.buffer([rows.length, owners.length, width]);
  const present = engine.buffer([rows.length, owners.length]);
  const [from, to] = [joined.embeddings.data, embeddings.data];
  const [seen, sees] = [joined.present.data, present.data];
  const rowSize = owners.length * width;
  rows.forEach((row, i) => {
    to.set(from.subarray(row * rowSize, (row + 1) * rowSize), i * rowSize);
    sees.set(seen.subarray(row * owners.length, (row + 1) * owners.length), i * owners.length);
    for (const slot of absent) {
      to.fill(0, i * rowSize + slot * width, i * rowSize + (slot + 1) * width);
      sees[i * owners.length + slot] = 0;
    }
  });
  const chosen = votes && {
    classes: votes.classes,
    probabilities: votes.probabilities.map((values) => {
      const own = new Float32Array(rows.length * votes.classes);
      rows.forEach((row, i) => {
        own.set(values.subarray(row * votes.classes, (row + 1) * votes.classes), i * votes.classes);
      });
      return own;
    }),
  };
  return {
    owners,
    width,
    embeddings,
    present,
    samples: Array.from(rows, (row) => joined.samples[row]),
    isComplete: absent.size === 0 && joined.isComplete,
    ...(chosen && { votes: chosen }),
  };
}
