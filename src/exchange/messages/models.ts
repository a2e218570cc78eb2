// [wire] Models: their scores, their origin and their graphs.
import type { AnswerObject } from './answer-object.ts';

/** A score that is not defined, because there is one class only, is null. */
export interface ModelScores {
  accuracy: number | null;
  f1: number | null;
  auc: number | null;
  prAuc: number | null;
  loss: number | null;
}

/** A model of a federation. */
export interface ListedModel extends AnswerObject {
  /** Its number, from 1. */
  version: number;
  /** Id of the training that made it. */
  training?: string | null;
  created?: string;
  /** Whether it is the one that answers. */
  active?: boolean;
  /** A former one answered once; a candidate never has. */
  state?: 'active' | 'former' | 'candidate';
  /** Of an ensemble: how many models it is; `config` is the first one's. */
  members?: number;
  /** Scores on the validation part. */
  validation?: ModelScores;
  /** Scores on the test part. */
  test?: ModelScores;
}

/** What a coordinator knows of a model beyond its card. */
export interface ModelOrigin {
  version: number;
  state: NonNullable<ListedModel['state']>;
  /** ISO 8601 */
  created: string;
  /** When it last became the active one; null if it never did. */
  activated: string | null;
  training: string | null;
  requestedBy: string | null;
  /** Version of the labels that it learned from. */
  labels: number | null;
  /** Version of the bundle of each owner that it learned from. */
  bundles: Record<string, number>;
}

/** GET /v1/federations/:f/models/:v: the model's card, with its origin. */
export interface ModelDetails extends AnswerObject {
  model: ModelOrigin;
  config: Record<string, unknown>;
  /** Of an ensemble: its models, of which `config` is the first one's. */
  ensemble?: { members: unknown[] };
  classes: string[];
  owners: { owner: string; width: number; bundle: string }[];
  /** How many samples each part has. */
  samples: Record<string, number>;
  validation: ModelScores;
  test: ModelScores;
  /** Validation scores can be compared where this is the same. */
  validatedOn?: string;
}

/** How many edges of a graph may be asked for: all of a thousand owners. */
export const MOST_EDGES = 500_000;

/** GET /v1/federations/:f/models/:v/graph */
export interface ModelGraph {
  model: number;
  /** Edge probabilities that were learned, a graph that was given (0 or 1), or similarities of frozen neighbours. */
  kind: 'learned' | 'given' | 'neighbours';
  /** Names of the owners, in the model's order. */
  owners: string[];
  /** How many pairs of owners there are. */
  pairs: number;
  /** The mean over all pairs; null without any. */
  mean: number | null;
  /** How many of all pairs lie in each range. */
  histogram: { from: number; to: number; count: number }[];
  /** Positions of two owners in `owners`, and the probability; the strongest first. Edges of probability 0 are left out. */
  edges: [first: number, second: number, probability: number][];
}
