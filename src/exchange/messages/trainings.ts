// [wire] Trainings: what is asked for, how they go, and what becomes of their models.

/** What to train, from which bundles and labels the coordinator knows. */
export interface TrainingRequest {
  /** Default: recommended. `auto` searches for a config on the validation part, with what `config` says fixed. */
  preset?: string;
  /** Changes to the preset. */
  config?: Record<string, unknown>;
  /** Learning rates that are tried; the validation part chooses between them. */
  learningRates?: readonly number[];
  /** Seed of a random split, or the ids of each part. A refit has the split of the model, and may name no other. */
  split?: number | { train: string[]; validation: string[]; test: string[] };
  /** All classes in their order. */
  classes?: readonly string[];
  /** Owners whose bundles are left out, as if they had sent nothing: those who will not be there when the model predicts. */
  without?: readonly string[];
  /** Learn this owner's alignment anew, in that version of the model (the active one), and nothing else, from its newest bundle. */
  refit?: { owner: string; model?: number };
  /** The graph for `graph: 'given'`: edges by owner name, or a matrix [owner][owner] with the names of its rows and columns. */
  adjacency?:
    | readonly { from: string; to: string; weight?: number | undefined }[]
    | { owners: readonly string[]; weights: readonly (readonly number[])[] };
  /** For preset `auto`: how much the search may do. Default: 20 fits. */
  budget?: { fits?: number | undefined; minutes?: number | undefined };
  /** For preset `auto`: how much absent owners count in the choice, from 0 to 1. Default: 0.5. */
  absenceWeight?: number;
  /** Several fits that differ by their seed, as one model. It is calibrated unless told otherwise. */
  ensemble?: { fits?: number; calibrate?: boolean };
  /** Whether the new model answers from then on. Default: `if-better`, that is better than the active one. */
  promote?: PromotionRule;
}

/** When the model of a training becomes the active one by itself. */
export const PROMOTION_RULES = ['never', 'if-better', 'always'] as const;

/** When the model of a training becomes the active one by itself. */
export type PromotionRule = (typeof PROMOTION_RULES)[number];

/** What became of a training's model, and why. */
export interface Promotion {
  /** The rule that the training was asked for with. */
  rule: PromotionRule;
  /** Whether its model answers now. */
  promoted: boolean;
  /** Why, in a sentence. */
  reason: string;
  /** Version that was active when the training ended; null: none was. */
  before: number | null;
}

export const FINAL_PHASES = ['done', 'failed', 'cancelled'] as const;

/** Where a training stands. */
export type TrainingPhase = 'queued' | 'running' | (typeof FINAL_PHASES)[number];

/** A training and what became of it. */
export interface TrainingStatus {
  /** Its id. */
  id: string;
  /** Where it stands. */
  state: TrainingPhase;
  /** Version of the model that it made, once it is done. */
  model?: number | null;
  /** What became of that model. */
  promotion?: Promotion | null;
  /** Why it failed. */
  error?: { code: string; message: string } | null;
  /** Its place among all that wait, over all federations, from 1; null once it has begun. */
  place?: number | null;
  /** Name of the worker that took it; operators are told it. */
  worker?: string | null;
  /** How many processes take trainings at this moment. Without any, one that is queued waits. */
  workers?: number;
  [detail: string]: unknown;
}

/** An epoch of a training, or a change of its state. */
export interface TrainingEvent {
  /** The new state, where it changed. */
  state?: TrainingPhase;
  /** How many processes take trainings, told while this one is queued. */
  workers?: number;
  /** Its place among all that wait, from 1, told while it is queued. */
  place?: number;
  /** Name of the worker that took it; operators are told it. */
  worker?: string;
  /** The epoch that ended, from 1. */
  epoch?: number;
  /** The most epochs that will be run. */
  epochs?: number;
  /** Its mean training loss; null where the part is too small to be told of. */
  trainLoss?: number | null;
  /** The validation loss after it; null likewise. */
  validationLoss?: number | null;
  /** The epoch with the lowest validation loss so far. */
  bestEpoch?: number;
  /** The learning rate under way. */
  learningRate?: number;
  /** Of an ensemble: which model is under way, from 0, and how many there will be. */
  member?: number;
  members?: number;
  /** Where a search stands: finished fits, the most there will be, and the latest news of one of them. */
  search?: {
    done: number;
    total?: number | undefined;
    fit: number;
    name: string;
    epoch?: number | undefined;
    best?: { criterion: number; name: string } | undefined;
    secondsLeft?: number | undefined;
  };
  [detail: string]: unknown;
}

/** A training of a federation. */
export interface ListedTraining extends TrainingStatus {
  created?: string;
}
