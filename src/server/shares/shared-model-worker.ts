// [coordinator] The thread behind `ServedSharedModel`: one model on shares, its lines to the entities, and which sample is in which row.
import { answerQuestions } from '../../base/worker-thread.ts';
import {
  type AnnouncedBundle,
  SharedModel,
  type SharedModelStart,
  type SharedOutcome,
  type SharedSample,
} from './shared-model.ts';

export type SharedModelQuestion =
  | { kind: 'begin'; start: SharedModelStart }
  /** Bundles come one by one, and count when all have come. */
  | { kind: 'bundles' }
  | { kind: 'bundle'; bundle: AnnouncedBundle }
  | { kind: 'use' }
  | { kind: 'predict'; samples: SharedSample[] };

/** Outcomes, where samples were asked about. */
export type SharedModelAnswer = SharedOutcome[] | undefined;

let model: SharedModel | undefined;

answerQuestions<SharedModelQuestion, SharedModelAnswer>(async (question) => {
  switch (question.kind) {
    case 'begin':
      model = new SharedModel(question.start);
      return undefined;
    case 'bundles':
      model?.beginBundles();
      return undefined;
    case 'bundle':
      model?.addBundle(question.bundle);
      return undefined;
    case 'use':
      model?.useBundles();
      return undefined;
    case 'predict':
      return model?.predict(question.samples);
  }
});
