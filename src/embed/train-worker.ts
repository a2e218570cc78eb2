// [owner] A worker thread that trains one owner after another, each with an engine of one thread.
import { answerQuestions, sendReport } from '../base/worker-thread.ts';
import { Engine } from '../core/engine/engine.ts';
import type { ModelCard, OwnerTrainingOptions } from './owner-model.ts';
import { trainOwner } from './train-owner.ts';

export interface TrainRequest {
  folder: string;
  options: OwnerTrainingOptions;
  force: boolean;
}

const engine = new Engine({ threads: 1 });

answerQuestions<TrainRequest, ModelCard>(async ({ folder, options, force }) => {
  const onEpoch = (epoch: number) => sendReport(epoch);
  const { card } = await trainOwner(engine, folder, options, { force, onEpoch });
  return card;
});
