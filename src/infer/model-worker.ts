// [coordinator] The thread behind `ModelThread`: holds models by number and computes.

import { answerQuestions } from '../base/worker-thread.ts';
import type { FusedCard } from '../fuse/model/fused-card.ts';
import type { PredictionGraphs } from '../fuse/model/predict-logits.ts';
import { type Logits, type ReadyModel, readyModel } from './ready-model.ts';

export type ModelQuestion =
  | { kind: 'load'; model: number; card: FusedCard; weights: Uint8Array; graphs: PredictionGraphs | undefined }
  | { kind: 'logits'; model: number; batch: Parameters<Logits> }
  | { kind: 'unload'; model: number };

/** Logits where they were asked for. */
export type ModelAnswer = Float32Array | undefined;

const models = new Map<number, ReadyModel>();
const modelOf = (number: number) => models.get(number) as ReadyModel;

answerQuestions<ModelQuestion, ModelAnswer>(async (question) => {
  switch (question.kind) {
    case 'load':
      models.set(question.model, await readyModel(question.card, question.weights, question.graphs));
      return undefined;
    case 'logits':
      return modelOf(question.model).logits(...question.batch);
    case 'unload':
      await modelOf(question.model).dispose();
      models.delete(question.model);
      return undefined;
  }
});
