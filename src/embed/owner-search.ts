// [owner] Options of a local model chosen on the owner's own validation part: what is tried, and the rule of the choice.
import { F3Error } from '../errors.ts';
import type { LocalModelKind } from './local-model.ts';
import type { OwnerTrainingOptions } from './owner-model.ts';
import type { TrainingObjective } from './training-objective.ts';

/** What a search may change of an owner's options. */
export interface OwnerCandidate {
  model: LocalModelKind;
  /** Width d of an embedding. */
  width: number;
  objective: TrainingObjective;
}

/** The values of which every combination is tried, unless the budget ends the list earlier. */
export interface OwnerSearchSpace {
  models?: readonly LocalModelKind[] | undefined;
  widths?: readonly number[] | undefined;
  /** By default the label alone: an embedding that reconstructs gives more away, so its owner must ask for it. */
  objectives?: readonly TrainingObjective[] | undefined;
  /** Most combinations that are tried; by default all. */
  budget?: number | undefined;
}

/** One combination and how it did on the owner's validation part. */
export interface OwnerTrial extends OwnerCandidate {
  /** Mean cross-entropy of the labels of the validation part, in nats: what decides. */
  validationLoss: number;
  validationAccuracy: number;
  epochs: number;
  seconds: number;
}

/** What stands of a search in an owner's model card. */
export interface OwnerSearchRecord {
  /** Everything that was tried, in its order. */
  tried: OwnerTrial[];
  /** Index of the combination that was kept. */
  chosen: number;
}

/** Architectures, widths and objectives that are tried by default, what we advise first. */
export const ownerSearchSpace = {
  models: ['gru', 'lstm', 'tcn'],
  widths: [16, 32],
  objectives: ['label'],
} as const satisfies OwnerSearchSpace;

/** All combinations of a space in the order in which they are tried: by objective, then width, then architecture. */
export function ownerCandidates({ budget, ...space }: OwnerSearchSpace = {}): OwnerCandidate[] {
  const models = space.models ?? ownerSearchSpace.models;
  const widths = space.widths ?? ownerSearchSpace.widths;
  const objectives = space.objectives ?? ownerSearchSpace.objectives;
  const all = objectives.flatMap((objective) =>
    widths.flatMap((width) => models.map((model): OwnerCandidate => ({ model, width, objective }))),
  );
  if (all.length === 0) throw new F3Error('F3_OPTION', 'search space: must have at least one combination, got none');
  if (budget === undefined || (Number.isInteger(budget) && budget > 0)) return all.slice(0, budget);
  throw new F3Error('F3_OPTION', `budget: must be a whole number from 1, got ${budget}`);
}

/** `options` with what the candidate says. The objective is left out where it is the label, as it always was. */
export function withCandidate(
  { objective: _, reconstructionWeight, ...options }: OwnerTrainingOptions,
  { model, width, objective }: OwnerCandidate,
): OwnerTrainingOptions {
  return { ...options, model, width, ...(objective !== 'label' && { objective, reconstructionWeight }) };
}

/**
 * Index of the candidate to keep. losses: [candidate][validation sample], cross-entropy each. The lowest mean wins if it
 * is below the first one's by more than one standard error of their difference over samples; else the first stays.
 */
export function chooseCandidate(losses: readonly Float64Array[]): number {
  const means = losses.map(meanOf);
  const best = means.indexOf(Math.min(...means));
  const differences = losses[0].map((loss, i) => loss - losses[best][i]);
  const mean = meanOf(differences);
  const squares = differences.reduce((sum, difference) => sum + (difference - mean) ** 2, 0);
  const count = differences.length;
  const error = count > 1 ? Math.sqrt(squares / (count - 1) / count) : Number.POSITIVE_INFINITY;
  return mean > error ? best : 0;
}

const meanOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;
