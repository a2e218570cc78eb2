// [wire] What the coordinator's routes take and give, as JSON. Times are texts in ISO 8601.
import type { QuotaUsage } from './quotas.ts';

/** What a member may do: send embeddings, send labels, or run the federation. */
export type Role = 'owner' | 'labels' | 'operator';

/** A name is in lower case, so that it is the same folder on every system. */
export const FEDERATION_NAME = /^[a-z0-9-]{1,60}$/;
export const FEDERATION_NAME_RULE = 'must be 1 to 60 of a to z, 0 to 9 and -';

/** POST /v1/enrol */
export interface Enrolment {
  /** Null for the operator of the whole server. */
  federation: string | null;
  /** The name under which the member joined. */
  owner: string;
  /** What the member may do. */
  role: Role;
  /** The thumbprint of its key. */
  keyId: string;
}

/** A code with which one member joins, once. */
export interface Invitation {
  /** The code, which is not shown again. */
  code: string;
  expires: string;
}

/** An invitation that nobody has used, as operators see it: not its code. */
export interface OpenInvitation {
  id: string;
  owner: string;
  role: Role;
  created: string;
  expires: string;
  /** Whether its time is over. */
  expired: boolean;
}

/** What is sent. */
export type UploadKind = 'bundle' | 'labels';

/** Whether an upload is under way, counts, or was refused for good. */
export type UploadPhase = 'open' | 'complete' | 'refused';

/** How much of an upload has arrived. */
export interface UploadState {
  /** Its id. */
  id: string;
  /** Bytes that the coordinator has for good. */
  received: number;
  /** Whether it is under way, counts, or was refused for good. */
  state: UploadPhase;
}

/** An upload that counts. */
export interface StoredUpload {
  /** A bundle or labels. */
  kind: UploadKind;
  /** The version that it was stored as. */
  version: number;
  /** The version that counts. */
  newest: number;
  /** SHA-256 of its bytes. */
  sha256: string;
}

/** An upload that is not complete. */
export interface OpenUpload {
  id: string;
  kind: UploadKind;
  size: number;
  received: number;
  sha256: string;
  touched: string;
}

/** A version of a bundle that the coordinator holds, and what needs it. */
export interface HeldBundle extends AnswerObject {
  owner: string;
  version: number;
  created: string;
  size: number;
  sha256: string;
  samples?: number;
  width?: number;
  /** The next training learns from it. */
  counts: boolean;
  /** Versions of models that learned from it. */
  models: number[];
  /** Ids of trainings under way that learn from it. */
  trainings: string[];
}

/** How an owner leaves a federation. */
export interface LeaveRequest {
  /** What becomes of the bundles that were sent. Default: keep. */
  bundles?: 'keep' | 'delete';
  /** Says that bundles are deleted even if models learned from them. */
  despite?: 'models';
}

/** What is left of an owner that has left. */
export interface Departure {
  owner: string;
  left: string;
  activeModel: number | null;
  /** Models that learned from the owner's bundles, and stay as they are. */
  models: number[];
  /** Trainings that were asked for before, and still learn from them. */
  trainings: string[];
  /** Versions of bundles that were kept. */
  kept?: number[];
  /** Versions of bundles that were deleted. */
  deleted?: number[];
}

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
  /** The epoch that ended, from 1. */
  epoch?: number;
  /** The most epochs that will be run. */
  epochs?: number;
  /** Its mean training loss. */
  trainLoss?: number;
  /** The validation loss after it. */
  validationLoss?: number;
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

/** An object of an answer: it may have more fields than the client knows. */
export interface AnswerObject {
  [detail: string]: unknown;
}

/** An owner of a federation, with the bundle of it that counts. */
export interface ListedOwner extends AnswerObject {
  owner: string;
  /** Null: it has sent none. */
  bundle?:
    | (AnswerObject & { version: number; samples?: number; width?: number; sha256?: string; received?: string })
    | null;
}

/** A training of a federation. */
export interface ListedTraining extends TrainingStatus {
  created?: string;
}

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
  classes: string[];
  owners: { owner: string; width: number; bundle: string }[];
  /** How many samples each part has. */
  samples: Record<string, number>;
  validation: ModelScores;
  test: ModelScores;
  /** Validation scores can be compared where this is the same. */
  validatedOn?: string;
}

/** GET /v1/federations/:f. Owners see their own entry only. */
export interface FederationStatus {
  /** Name of the federation. */
  name: string;
  /** The classes that it was made with, in their order; null: the labels decide. */
  classes?: string[] | null;
  /** Its owners, with the bundle of each that counts. */
  owners: ListedOwner[];
  /** How many owners and bundles there are, and the version of the labels (0: none). */
  counts?: { owners: number; bundles: number; labels: number };
  /** Shown to operators and label holders, each with the labels that count, if it sent them. */
  labelHolders?: (AnswerObject & {
    owner: string;
    labels?: (AnswerObject & { version: number; samples?: number }) | null;
  })[];
  /** Shown to operators. */
  invitations?: OpenInvitation[];
  /** What is taken of each quota. */
  quotas?: QuotaUsage[];
  /** Its trainings. */
  trainings?: ListedTraining[];
  /** Its models. */
  models?: (AnswerObject & { version: number })[];
  /** Version of the model that answers; null: none does. */
  activeModel?: number | null;
  [detail: string]: unknown;
}

/** An entry of GET /v1/federations. */
export interface ListedFederation extends AnswerObject {
  name: string;
  /** Where the operator fixed them. */
  classes?: string[] | null;
  /** The version that answers, or null for none yet. */
  activeModel?: number | null;
  /** When it was made (ISO 8601). */
  created?: string;
}

/** The answer to POST /v1/federations/:f/tokens. */
export interface IssuedToken {
  id: string;
  name: string;
  /** The secret, which is told this once. */
  token: string;
  /** When it ends (ISO 8601), or null for never. */
  expires: string | null;
}

/** An inference token, without its secret. */
export interface ListedToken {
  id: string;
  name: string;
  /** When it was made (ISO 8601). */
  created: string;
  /** Name of the operator who made it. */
  createdBy: string;
  /** When it ends (ISO 8601), or null for never. */
  expires: string | null;
  expired: boolean;
  /** When it was used last (ISO 8601, to the minute), or null for never. */
  lastUsed: string | null;
}

/** An entry of a federation's audit log: who did what, and when. */
export interface AuditEntry extends AnswerObject {
  /** Its number; they rise. */
  id: number;
  at?: string;
  /** Name of the member, or of the part of f3 that acted by itself. */
  actor?: string;
  /** What was done. */
  action?: string;
  /** What it was done to or with. */
  details?: Record<string, unknown>;
  /** Thumbprint of the key that asked, or id of the inference token. */
  keyId?: string | null;
  /** Address that the request came from. */
  address?: string | null;
  /** Its place in this log, from 1. */
  number?: number;
  /** The chain's hash after it. */
  hash?: string;
}

/** A backup that a coordinator wrote into its own folder. */
export interface MadeBackup {
  /** Its path on the coordinator's machine. */
  file: string;
  /** How many bytes it has. */
  bytes: number;
  /** The hash that stands at its end, of all before it. */
  sha256: string;
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

/** Samples to predict, each with the embeddings of the owners that are present. */
export interface PredictionRequest {
  /** `embeddings`: owner → its embedding of the sample. */
  samples: { id: string; embeddings: Record<string, readonly number[]> }[];
  /** Average over sampled graphs, which is the default, or use the mean graph. */
  graphs?: 'sampled' | 'mean';
}

/** The most samples that one request may ask for. */
export const MOST_SAMPLES = 10_000;

/** POST /v1/federations/:f/predict */
export interface PredictionAnswer extends AnswerObject {
  /** Version of the model that answered. */
  model: number;
  classes: string[];
  /** The predictions stand in the order of the request, probabilities in that of the classes. `owners` names who was present. */
  predictions: { sample: string; class: string; probabilities: number[]; owners: string[] }[];
}

/** The longest `deadlineMs`. It is below the minute after which a request is cut. */
export const LONGEST_DEADLINE_MS = 50_000;

/** One owner's embedding of a sample of this moment. */
export interface LiveRequest {
  /** [d] numbers of the owner's frozen model. */
  embedding: readonly number[];
  /** How many owners suffice. */
  quorum?: number;
  /** After how many milliseconds to answer with whoever is there. */
  deadlineMs?: number;
}
