// [coordinator] The tables of the database as types. PGlite and PostgreSQL have the same schema, which the migrations make.
import type { ColumnType, GeneratedAlways, Insertable, JSONColumnType, Kysely, Selectable } from 'kysely';
import type { LabelRules } from '../exchange/label-access.ts';
import type { Role, TrainingPhase, UploadKind, UploadPhase } from '../exchange/messages.ts';
import type { Quotas } from '../exchange/quotas.ts';
import type { UploadVerdict } from './upload-verdicts.ts';

/** What JSON columns hold beside named shapes. */
export type JsonObject = { [key: string]: unknown };

/** A column that is read and written as bytes. */
type Bytes = ColumnType<Uint8Array, Uint8Array, Uint8Array>;
/** A time that the database gives when it is left out, and that never changes. */
type Stamp = ColumnType<Date, Date | undefined, never>;
type OptionalJson<T extends object> = ColumnType<T | null, string | null | undefined, string | null>;
type Optional<T> = ColumnType<T | null, T | null | undefined, T | null>;

/** A group of owners that learn together, named for good. */
export interface FederationsTable {
  name: string;
  /** Names of the classes to tell apart, where the operator fixed them. */
  classes: OptionalJson<string[]>;
  /** Version of the model that predicts. */
  activeModel: Optional<number>;
  created: Stamp;
}

/**
 * Whoever has a key: owners and label holders in one federation each, operators in none. A revoked member stays, so that
 * its key never comes back and the audit log keeps its meaning; the name may then be invited anew.
 */
export interface MembersTable {
  id: string;
  federation: string | null;
  /** The owner id, which names label holders and operators too. A federation has one unrevoked member of a name. */
  owner: string;
  role: Role;
  /** Thumbprint of the public key, unique over all federations. */
  keyId: string;
  /** The key as JWK. */
  publicKey: JSONColumnType<JsonObject>;
  joined: Stamp;
  revoked: Optional<Date>;
}

/** Keys that members have replaced. None of them is ever enrolled again. */
export interface FormerKeysTable {
  keyId: string;
  member: string;
  publicKey: JSONColumnType<JsonObject>;
  replaced: Stamp;
  /** Until when it is accepted. */
  ends: Date;
}

/** One-time enrolment codes. Only their hash is kept: reading this table lets nobody in. */
export interface InvitationsTable {
  /** SHA-256 of the code, hexadecimal. */
  codeHash: string;
  federation: string;
  owner: string;
  role: Role;
  created: Stamp;
  expires: Date;
  /** Id of the member who redeemed it. */
  member: Optional<string>;
  /** The id by which people name it. */
  id: ColumnType<string, never, never>;
  cancelled: Optional<Date>;
}

/** Static tokens that may predict in one federation. Only their hash is kept: reading this table lets nobody predict. */
export interface InferenceTokensTable {
  id: string;
  federation: string;
  /** Its name. A federation has one unrevoked token of a name. */
  name: string;
  /** SHA-256 of the secret, hexadecimal. */
  hash: string;
  created: Stamp;
  /** Name of the member who made it. */
  createdBy: string;
  expires: Optional<Date>;
  revoked: Optional<Date>;
  /** When it was last used, to the minute. */
  lastUsed: Optional<Date>;
}

/** What a request with a key created, remembered for a while, so that a request that is sent again finds it. */
export interface CreationsTable {
  member: string;
  key: string;
  /** Hash of method, path and body. */
  request: string;
  subject: ColumnType<string, string | undefined, string>;
  created: Stamp;
}

/** Request tokens that were used, until they expire by themselves. */
export interface UsedTokensTable {
  jti: string;
  expires: Date;
}

/** Byte strings of any length. What owns one refers to it; deleting a blob deletes its chunks. */
export interface BlobsTable {
  id: string;
  created: Stamp;
}

/** The bytes of blobs in rows of at most 1 MiB, without gaps. */
export interface BlobChunksTable {
  blob: string;
  /** Offset of the first byte in the blob. */
  position: number;
  bytes: Bytes;
}

/** Uploads under way and done. There is one per member, kind and content, so that sending again finds the first. */
export interface UploadsTable {
  id: string;
  federation: string;
  member: string;
  kind: UploadKind;
  /** Hash of the whole content, hexadecimal, as announced; it is checked on completion. */
  sha256: string;
  size: number;
  /** Bytes stored so far, always the length of the blob. */
  received: ColumnType<number, number | undefined, number>;
  state: ColumnType<UploadPhase, UploadPhase | undefined, UploadPhase>;
  /** Version that the upload became, once complete. */
  version: Optional<number>;
  /** Its bytes, of which none are left once they were refused. */
  blob: string;
  /** What the check of the content found; null before it. */
  verdict: OptionalJson<UploadVerdict>;
  /** How often a check was begun and has not ended. */
  checks: ColumnType<number, number | undefined, number>;
  created: Stamp;
  touched: ColumnType<Date, Date | undefined, Date>;
}

/** Content that a member sent, in versions. */
interface ContentTable {
  federation: string;
  version: number;
  member: string;
  blob: string;
  sha256: string;
  size: number;
  /** What the coordinator found in it: samples, width, … */
  summary: JSONColumnType<JsonObject>;
  created: Stamp;
}

/** Owners' bundles. Versions count from 1 per owner; old ones stay until they are deleted. */
export interface BundlesTable extends ContentTable {
  owner: string;
}

/** Versions of bundles that were deleted, without their bytes. */
export interface DeletedBundlesTable {
  federation: string;
  owner: string;
  version: number;
  sha256: string;
  size: number;
  deleted: Stamp;
}

/** Labels of the label holder. Versions count from 1 per federation; old ones stay. */
export type LabelSetsTable = ContentTable;

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

/** The log of who did what when. Triggers forbid changing and deleting. Entries have names, because they outlive what they name. */
export interface AuditTable {
  id: GeneratedAlways<number>;
  /** To the millisecond. */
  at: Stamp;
  federation: string | null;
  /** Name of the member, or of the part of f3 that acted by itself. */
  actor: string;
  action: string;
  details: JSONColumnType<JsonObject>;
  /** Thumbprint of the key that asked, or id of the inference token. */
  keyId: string | null;
  address: string | null;
  /** The entry's place in the log of its federation, from 1. */
  number: number;
  /** The chain's hash after this entry. */
  hash: string;
}

/** The end of each log's chain. Whoever appends holds the row, so that no chain forks. */
export interface AuditChainsTable {
  /** Name of the federation; empty for the server's own log. */
  chain: string;
  count: number;
  hash: string;
  /** Count of the newest signed head. */
  sealed: ColumnType<number, number | undefined, number>;
}

/** Signed heads of the logs. Triggers forbid changing and deleting. */
export interface AuditHeadsTable {
  chain: string;
  count: number;
  hash: string;
  at: Date;
  keyId: string;
  signature: string;
}

/** Public keys that coordinators have signed heads with. */
export interface AuditKeysTable {
  keyId: string;
  publicKey: JSONColumnType<JsonObject>;
  since: Stamp;
}

/** Embeddings that wait for those of other owners, for live prediction. */
export interface LiveEmbeddingsTable {
  federation: string;
  sample: string;
  owner: string;
  /** The numbers as float32, little endian. */
  embedding: Bytes;
  expires: Date;
}

/** Processes that take trainings, which say now and then that they live. */
export interface WorkersTable {
  id: string;
  started: Stamp;
  seen: ColumnType<Date, Date | undefined, Date>;
  /** Bytes that a training may take there; null for a worker of an older f3. */
  memory: Optional<number>;
}

/** What a label holder, by the id of its member, asks of trainings on its labels. */
export interface LabelRulesTable {
  holder: string;
  rules: JSONColumnType<Partial<LabelRules>>;
}

/** What a label holder allows single members. */
export interface LabelGrantsTable {
  holder: string;
  member: string;
  trainings: number;
  anySplit: boolean;
  exactScores: boolean;
  granted: ColumnType<Date, Date | undefined, Date>;
}

/** Sets of samples that scores were told of. */
export interface ScoredPartsTable {
  holder: string;
  sha256: string;
  /** Eight bytes per sample, in ascending order. */
  ids: Bytes;
}

/** A secret per federation, for hashes that depend on labels. */
export interface LabelKeysTable {
  federation: string;
  key: ColumnType<string, never, never>;
}

/** Quotas of single federations that differ from the coordinator's. */
export interface QuotasTable {
  federation: string;
  limits: JSONColumnType<Partial<Quotas>>;
}

/** One row, whose number triggers raise in the transaction that changes a member or a federation. */
export interface RevisionTable {
  number: ColumnType<number, never, never>;
}

/** One row: times that only ever rise, so that a clock that goes back brings no used token back to life. */
export interface ClockTable {
  /** No token that was issued after this time has been accepted, save those in `used_tokens`. The embedded database needs it. */
  mark: ColumnType<Date, never, Date>;
  /** Tokens that expire up to this time may be forgotten, and are refused. */
  forgotten: ColumnType<Date, never, Date>;
}

export interface Schema {
  federations: FederationsTable;
  members: MembersTable;
  formerKeys: FormerKeysTable;
  invitations: InvitationsTable;
  inferenceTokens: InferenceTokensTable;
  creations: CreationsTable;
  usedTokens: UsedTokensTable;
  blobs: BlobsTable;
  blobChunks: BlobChunksTable;
  uploads: UploadsTable;
  bundles: BundlesTable;
  deletedBundles: DeletedBundlesTable;
  labelSets: LabelSetsTable;
  trainings: TrainingsTable;
  checkpoints: CheckpointsTable;
  trainingFits: TrainingFitsTable;
  models: ModelsTable;
  audit: AuditTable;
  auditChains: AuditChainsTable;
  auditHeads: AuditHeadsTable;
  auditKeys: AuditKeysTable;
  liveEmbeddings: LiveEmbeddingsTable;
  workers: WorkersTable;
  quotas: QuotasTable;
  labelRules: LabelRulesTable;
  labelGrants: LabelGrantsTable;
  scoredParts: ScoredPartsTable;
  labelKeys: LabelKeysTable;
  revision: RevisionTable;
  clock: ClockTable;
}

/** The database, or a transaction of the caller. Every function of this folder takes it. */
export type Db = Kysely<Schema>;

export type FederationRow = Selectable<FederationsTable>;
export type MemberRow = Selectable<MembersTable> & {
  /** Where the key is a former one: until when it is accepted. */
  keyEnds?: Date;
};
export type FormerKeyRow = Selectable<FormerKeysTable>;
export type InvitationRow = Selectable<InvitationsTable>;
export type InferenceTokenRow = Selectable<InferenceTokensTable>;
export type UploadRow = Selectable<UploadsTable>;
export type BundleRow = Selectable<BundlesTable>;
export type DeletedBundleRow = Selectable<DeletedBundlesTable>;
export type LabelSetRow = Selectable<LabelSetsTable>;
export type LabelGrantRow = Selectable<LabelGrantsTable>;
export type TrainingRow = Selectable<TrainingsTable>;
export type ModelRow = Selectable<ModelsTable>;
export type AuditRow = Selectable<AuditTable>;
export type AuditHeadRow = Selectable<AuditHeadsTable>;
export type AuditKeyRow = Selectable<AuditKeysTable>;
export type NewUpload = Pick<Insertable<UploadsTable>, 'federation' | 'member' | 'kind' | 'sha256' | 'size'>;
