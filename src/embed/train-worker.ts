// [owner] A worker thread that trains one owner after another, each with an engine of one thread.
import { answerQuestions, sendReport } from '../base/worker-thread.ts';
import { Engine } from '../core/engine/engine.ts';
import type { ModelCard, OwnerTrainingOptions } from './owner-model.ts';
import type { OwnerCandidate } from './owner-search.ts';
import { searchOwner } from './search-owner.ts';
import { trainOwner } from './train-owner.ts';

export interface TrainRequest {
  folder: string;
  options: OwnerTrainingOptions;
  force: boolean;
  /** What to choose from on the owner's validation part; without it, the options say all. */
  candidates?: readonly OwnerCandidate[] | undefined;
}

const engine = new Engine({ threads: 1 });

answerQuestions<TrainRequest, ModelCard>(async ({ folder, options, force, candidates }) => {
  const onEpoch = (epoch: number) => sendReport(epoch);
  const { card } = candidates
    ? await searchOwner(engine, folder, options, { candidates, force, onEpoch })
    : await trainOwner(engine, folder, options, { force, onEpoch });
  return card;
});
