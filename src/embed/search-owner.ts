// [owner] Trains one owner with each of several options, and keeps the model that does best on its own validation part.

import type { Engine } from '../core/engine/engine.ts';
import { checkTrainingOptions } from './check-training-options.ts';
import { labelLosses } from './label-losses.ts';
import type { ModelCard, OwnerTrainingOptions } from './owner-model.ts';
import { hasOwnWeights, readModelCard } from './owner-model.ts';
import {
  chooseCandidate,
  type OwnerCandidate,
  type OwnerTrial,
  ownerCandidates,
  withCandidate,
} from './owner-search.ts';
import { predictLocal, trainLocalModel } from './train-local-model.ts';
import {
  type FinishedTraining,
  finish,
  isTrainedWith,
  type LabelledOwner,
  ownerSeed,
  prepare,
  readLabelledOwner,
} from './train-owner.ts';

/** How to search. */
export interface SearchOwnerOptions {
  /** What is tried, in this order; the first stays unless another is clearly better. By default `ownerCandidates()`. */
  candidates?: readonly OwnerCandidate[] | undefined;
  force?: boolean;
  onEpoch?: (epoch: number) => void;
}

/**
 * Trains the owner of a folder once per candidate, and leaves the chosen model there, with everything that was tried in its
 * card. The rule is that of `chooseCandidate`. It looks at labels of the validation part alone, so it knows how well this
 * owner predicts by itself, and not what a federation gains from its embeddings.
 */
export async function searchOwner(
  engine: Engine,
  folder: string,
  options: OwnerTrainingOptions,
  { candidates = ownerCandidates(), force = false, onEpoch }: SearchOwnerOptions = {},
): Promise<{ card: ModelCard; trained: boolean }> {
  for (const candidate of candidates) checkTrainingOptions(withCandidate(options, candidate));
  const owner = await readLabelledOwner(folder);
  const existing = force ? undefined : await readModelCard(folder);
  const isSame = existing?.data === owner.hash && isSameSearch(existing, options, candidates);
  if (existing && isSame && (await hasOwnWeights(folder, existing))) {
    return { card: existing, trained: false };
  }
  const start = performance.now();
  const runs = candidates.map((candidate) => run(engine, owner, withCandidate(options, candidate), onEpoch));
  const chosen = chooseCandidate(runs.map(({ losses }) => losses));
  const tried = runs.map(({ trial }, i): OwnerTrial => ({ ...candidates[i], ...trial }));
  const card = await finish(engine, folder, owner, { ...runs[chosen].finished, start, search: { tried, chosen } });
  for (const { finished } of runs) {
    finished.model.dispose();
    engine.free(finished.data.windows);
  }
  return { card, trained: true };
}

interface CandidateRun {
  finished: Omit<FinishedTraining, 'start'>;
  trial: Omit<OwnerTrial, keyof OwnerCandidate>;
  /** [validation sample]: cross-entropy of its label */
  losses: Float64Array;
}

function run(
  engine: Engine,
  owner: LabelledOwner,
  options: OwnerTrainingOptions,
  onEpoch: ((epoch: number) => void) | undefined,
): CandidateRun {
  const start = performance.now();
  const seed = ownerSeed(options.seed, owner.id);
  const prepared = prepare(engine, owner, options, seed);
  const fit = trainLocalModel(engine, prepared.model, prepared.data, { ...options, seed }, onEpoch);
  const losses = validationLosses(engine, prepared, owner);
  const trial = {
    validationLoss: losses.reduce((sum, loss) => sum + loss, 0) / losses.length,
    validationAccuracy: fit.validationAccuracy,
    epochs: fit.epochs,
    seconds: (performance.now() - start) / 1000,
  };
  return { finished: { ...prepared, fit, options }, trial, losses };
}

function validationLosses(
  engine: Engine,
  { model, data }: Pick<FinishedTraining, 'model' | 'data'>,
  { labels, rows }: LabelledOwner,
): Float64Array {
  const { logits } = predictLocal(engine, model, data.windows, rows.validation);
  return labelLosses(
    logits,
    Int32Array.from(rows.validation, (row) => labels[row]),
  );
}

function isSameSearch(card: ModelCard, options: OwnerTrainingOptions, candidates: readonly OwnerCandidate[]): boolean {
  const { search } = card;
  if (search?.tried.length !== candidates.length) return false;
  const isSame = candidates.every((candidate, i) => {
    const { model, width, objective } = search.tried[i];
    return model === candidate.model && width === candidate.width && objective === candidate.objective;
  });
  return isSame && isTrainedWith(card, withCandidate(options, candidates[search.chosen]));
}
