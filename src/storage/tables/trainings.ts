// [coordinator] Tables of trainings, of what they save on the way, of the models that they make, and of who runs them.
import type { ColumnType, JSONColumnType, Selectable } from 'kysely';
import type { TrainingPhase } from '../../exchange/messages.ts';
import type { Quotas } from '../../exchange/quotas.ts';
import type { JsonObject, Optional, OptionalJson, Stamp } from './column-kinds.ts';

/** Trainings, which go from queued to running and end as done, failed or cancelled. */
export interface TrainingsTable {
  id: string;
  federation: string;
  /** Name of the member who asked for it. */
  requestedBy: string;
  options: JSONColumnType<JsonObject>;
  status: ColumnType<TrainingPhase, TrainingPhase | undefined, TrainingPhase>;
  /** A number that rises when a worker begins or takes over; a worker with an older number may write nothing more. */
  attempt: ColumnType<number, number | undefined, number>;
  progress: OptionalJson<JsonObject>;
  cancelRequested: ColumnType<boolean, boolean | undefined, boolean>;
  error: OptionalJson<{ code: string; message: string }>;
  modelVersion: Optional<number>;
  /** Whether that model became the active one, and why. */
  promotion: OptionalJson<JsonObject>;
  /** Id of the member who asked for it; trainings of an older f3 have none. */
  askedBy: Optional<string>;
  /** Which parts' scores are told to others than the label holder; null until the parts are known. */
  disclosure: OptionalJson<JsonObject>;
  /** Trainings that wait are taken in the order of their turns, in which federations alternate. */
  turn: ColumnType<number, number | undefined, number>;
  /** Losses by epoch, thinned out. */
  curve: OptionalJson<JsonObject[]>;
  /** Name of the worker that took it last; null: none has, or before this was kept. */
  worker: Optional<string>;
  created: Stamp;
  started: Optional<Date>;
  finished: Optional<Date>;
}

/** How far a training has come: one checkpoint per learning rate, each replaced whole. */
export interface CheckpointsTable {
  training: string;
  learningRate: number;
  blob: string;
  saved: ColumnType<Date, Date | undefined, Date>;
}

/** Fits that a search or an ensemble has finished while its training runs. */
export interface TrainingFitsTable {
  training: string;
  name: string;
  blob: string;
  saved: ColumnType<Date, Date | undefined, never>;
}

/**
 * Fused models. Versions count from 1 per federation; `federations.activeModel` names the one in use. A model that was never
 * in use is a candidate.
 */
export interface ModelsTable {
  federation: string;
  version: number;
  training: string | null;
  card: JSONColumnType<JsonObject>;
  /** Id of the blob that holds the weights. */
  blob: string;
  created: Stamp;
  /** When it last became the one in use. */
  activated: Optional<Date>;
}

/** What was found out about a model after it was trained, by kind; it is made again when it is asked for anew. */
export interface ModelReportsTable {
  federation: string;
  version: number;
  kind: string;
  report: JSONColumnType<JsonObject>;
  made: Stamp;
}

/** Processes that take trainings, which say now and then that they live. */
export interface WorkersTable {
  id: string;
  started: Stamp;
  seen: ColumnType<Date, Date | undefined, Date>;
  /** Bytes that a training may take there; null for a worker of an older f3. */
  memory: Optional<number>;
}

/** Quotas of single federations that differ from the coordinator's. */
export interface QuotasTable {
  federation: string;
  limits: JSONColumnType<Partial<Quotas>>;
}

export type TrainingRow = Selectable<TrainingsTable>;

export type ModelRow = Selectable<ModelsTable>;
