// [coordinator] The situations in which a search judges a fit: everybody there, and 30 and 70 % of the owners absent. Every
// validation sample lacks owners of its own, so that one pass stands for as many choices of absent owners as there are samples.
import type { Engine } from '../../core/engine/engine.ts';
import { RandomStream } from '../../core/random.ts';
import type { FusionConfig } from '../fusion-config.ts';
import type { Joined } from '../join/bundle-join.ts';
import type { FusionInput } from '../join/fusion-input.ts';
import { type FusedModel, predictProbabilities } from '../model/fused-model.ts';
import { fitDecisionRule } from '../scores/decision-rule.ts';
import { type Scores, scores } from '../scores/scores.ts';

/** Shares of the owners that are absent, the first of which is nobody. */
export const ABSENT_SHARES = [0, 0.3, 0.7] as const;
/** How much absence counts unless the caller says otherwise: as much as everybody's presence. */
export const ABSENCE_WEIGHT = 0.5;

/** Scores on the validation part while a share of the owners is absent. */
export interface SituationScores extends Pick<Scores, 'loss' | 'f1' | 'auc'> {
  /** Share of the owners that are absent. */
  absent: number;
}

const STREAM = 0x7369_7475;

/** How much each situation counts: everybody's presence, and what is left shared by the others. */
export function situationWeights(absenceWeight: number): number[] {
  const others = ABSENT_SHARES.length - 1;
  return ABSENT_SHARES.map((_, i) => (i === 0 ? 1 - absenceWeight : absenceWeight / others));
}

/** → per situation [validation sample, class]. The owners that are absent depend on nothing but the number of samples and owners. */
export function predictSituations(engine: Engine, model: FusedModel, { joined, split }: FusionInput): Float64Array[] {
  return ABSENT_SHARES.map((share) => {
    if (share === 0) return predictProbabilities(engine, model, joined, split.validation);
    const left = withoutShare(engine, joined, split.validation, share);
    try {
      return predictProbabilities(engine, model, left, Uint32Array.from(split.validation.keys()));
    } finally {
      engine.free(left.embeddings);
      engine.free(left.present);
    }
  });
}

/** `probabilities`: per situation [validation sample, class]; `labels`: [validation sample]. Classes are named as a model of that config would. */
export function scoreSituations(
  probabilities: readonly Float64Array[],
  labels: Int32Array,
  classes: number,
  decision: FusionConfig['decision'],
): SituationScores[] {
  const rule = decision === 'f1' ? fitDecisionRule(probabilities[0], classes) : undefined;
  return ABSENT_SHARES.map((absent, situation) => {
    const { loss, f1, auc } = scores(probabilities[situation], labels, classes, rule);
    return { absent, loss, f1, auc };
  });
}

/** The loss that fits are compared by: the mean over situations, each with its weight. */
export function criterionOf(situations: readonly Pick<SituationScores, 'loss'>[], absenceWeight: number): number {
  const weights = situationWeights(absenceWeight);
  // A situation that does not count must not spoil the sum, whatever its loss.
  return situations.reduce((sum, { loss }, i) => (weights[i] > 0 ? sum + weights[i] * loss : sum), 0);
}

/** `rows`, each without a share of the owners that saw it; one of them always stays. */
function withoutShare(engine: Engine, joined: Joined, rows: Uint32Array, share: number): Joined {
  const { owners, width } = joined;
  const count = owners.length;
  const embeddings = engine.buffer([rows.length, count, width]);
  const present = engine.buffer([rows.length, count]);
  const [to, sees] = [embeddings.data, present.data];
  const [from, saw] = [joined.embeddings.data, joined.present.data];
  const random = new RandomStream(0, STREAM + Math.round(100 * share));
  rows.forEach((row, i) => {
    to.set(from.subarray(row * count * width, (row + 1) * count * width), i * count * width);
    sees.set(saw.subarray(row * count, (row + 1) * count), i * count);
    const seers = Array.from(random.permutation(count)).filter((slot) => sees[i * count + slot] !== 0);
    for (const slot of seers.slice(0, Math.min(Math.round(share * seers.length), seers.length - 1))) {
      sees[i * count + slot] = 0;
      to.fill(0, (i * count + slot) * width, (i * count + slot + 1) * width);
    }
  });
  const samples = Array.from(rows, (row) => joined.samples[row]);
  return { owners, width, embeddings, present, samples, isComplete: false };
}
