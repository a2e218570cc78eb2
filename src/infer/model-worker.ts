// [coordinator] The thread behind `ModelThread`: holds models by number and computes.

import { answerQuestions } from '../base/worker-thread.ts';
import type { FusedCard } from '../fuse/model/fused-card.ts';
import type { PredictionGraphs } from '../fuse/model/predict-logits.ts';
import { type ModelOutputs, type Outputs, type ReadyModel, readyModel } from './ready-model.ts';

export type ModelQuestion =
  | { kind: 'load'; model: number; card: FusedCard; weights: Uint8Array; graphs: PredictionGraphs | undefined }
  | { kind: 'outputs'; model: number; batch: Parameters<Outputs> }
  | { kind: 'unload'; model: number };

/** What the model says, where that was asked for. */
export type ModelAnswer = ModelOutputs | undefined;

const models = new Map<number, ReadyModel>();
const modelOf = (number: number) => models.get(number) as ReadyModel;

answerQuestions<ModelQuestion, ModelAnswer>(async (question) => {
  switch (question.kind) {
    case 'load':
      models.set(question.model, await readyModel(question.card, question.weights, question.graphs));
      return undefined;
    case 'outputs':
      return modelOf(question.model).outputs(...question.batch);
    case 'unload':
      await modelOf(question.model).dispose();
      models.delete(question.model);
      return undefined;
  }
});
