// [coordinator] The database's tables as types: one schema on PGlite and PostgreSQL, made by migrations/.
import type { ColumnType, GeneratedAlways, Insertable, JSONColumnType, Kysely, Selectable } from 'kysely';
import type { Role, TrainingPhase, UploadKind, UploadPhase } from '../exchange/messages.ts';

/** What JSON columns hold beside named shapes. */
export type JsonObject = { [key: string]: unknown };

/** Read as bytes, written as bytes. */
type Bytes = ColumnType<Uint8Array, Uint8Array, Uint8Array>;
/** Given by the database when left out, never changed. */
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
  /** The owner id; names label holders and operators too. One unrevoked member per federation and name. */
  owner: string;
  role: Role;
  /** Thumbprint of the public key, unique over all federations. */
  keyId: string;
  /** JWK. */
  publicKey: JSONColumnType<JsonObject>;
  joined: Stamp;
  revoked: Optional<Date>;
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
  /** Who redeemed it. */
  member: Optional<string>;
  /** What people name it by. */
  id: ColumnType<string, never, never>;
  cancelled: Optional<Date>;
}

/** What a request with a key made, for a while. One that is sent again finds it. */
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

/** Byte strings of any length. Whatever owns one refers to it; deleting it deletes its chunks. */
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

/** Uploads under way and done. One per member, kind and content, so that sending again finds the first. */
export interface UploadsTable {
  id: string;
  federation: string;
  member: string;
  kind: UploadKind;
  /** Of the whole content, hexadecimal, as announced; checked on completion. */
  sha256: string;
  size: number;
  /** Bytes stored so far, always the length of the blob. */
  received: ColumnType<number, number | undefined, number>;
  state: ColumnType<UploadPhase, UploadPhase | undefined, UploadPhase>;
  /** What the upload became, once complete. */
  version: Optional<number>;
  blob: string;
  created: Stamp;
  touched: ColumnType<Date, Date | undefined, Date>;
}

/** Owners' bundles. Versions count from 1 per owner; old ones stay until they are deleted. */
export interface BundlesTable {
  federation: string;
  owner: string;
  version: number;
  member: string;
  blob: string;
  sha256: string;
  size: number;
  /** What the coordinator found in it: samples, width, … */
  summary: JSONColumnType<JsonObject>;
  created: Stamp;
}

/** Versions that were deleted, without their bytes. */
export interface DeletedBundlesTable {
  federation: string;
  owner: string;
  version: number;
  sha256: string;
  size: number;
  deleted: Stamp;
}

/** Labels of the label holder. Versions count from 1 per federation; old ones stay. */
export interface LabelSetsTable {
  federation: string;
  version: number;
  member: string;
  blob: string;
  sha256: string;
  size: number;
  summary: JSONColumnType<JsonObject>;
  created: Stamp;
}

/** Trainings: queued → running → done, failed or cancelled. */
export interface TrainingsTable {
  id: string;
  federation: string;
  /** Name of the member who asked for it. */
  requestedBy: string;
  options: JSONColumnType<JsonObject>;
  status: ColumnType<TrainingPhase, TrainingPhase | undefined, TrainingPhase>;
  /** Rises when a worker begins or takes over; whoever holds an older number may write nothing more. */
  attempt: ColumnType<number, number | undefined, number>;
  progress: OptionalJson<JsonObject>;
  cancelRequested: ColumnType<boolean, boolean | undefined, boolean>;
  error: OptionalJson<{ code: string; message: string }>;
  modelVersion: Optional<number>;
  /** Whether that model became the active one, and why. */
  promotion: OptionalJson<JsonObject>;
  created: Stamp;
  started: Optional<Date>;
  finished: Optional<Date>;
}

/** Where a training stands, one checkpoint per learning rate, each replaced whole. */
export interface CheckpointsTable {
  training: string;
  learningRate: number;
  blob: string;
  saved: ColumnType<Date, Date | undefined, Date>;
}

/**
 * Fused models. Versions count from 1 per federation; `federations.activeModel` names the one in use. One that was never in
 * use is a candidate.
 */
export interface ModelsTable {
  federation: string;
  version: number;
  training: string | null;
  card: JSONColumnType<JsonObject>;
  /** The weights. */
  blob: string;
  created: Stamp;
  /** When it last became the one in use. */
  activated: Optional<Date>;
}

/** Who did what when. Triggers forbid changing and deleting. Names, not references: an entry outlives what it names. */
export interface AuditTable {
  id: GeneratedAlways<number>;
  at: Stamp;
  federation: string | null;
  /** Name of the member, or of the part of f3 that acted by itself. */
  actor: string;
  action: string;
  details: JSONColumnType<JsonObject>;
}

/** Embeddings that wait for those of other owners, for live prediction. */
export interface LiveEmbeddingsTable {
  federation: string;
  sample: string;
  owner: string;
  /** float32, little endian. */
  embedding: Bytes;
  expires: Date;
}

/** Processes that take trainings. They say now and then that they live. */
export interface WorkersTable {
  id: string;
  started: Stamp;
  seen: ColumnType<Date, Date | undefined, Date>;
}

/** One row. The number rises in the transaction that changes a member or a federation: triggers see to it. */
export interface RevisionTable {
  number: ColumnType<number, never, never>;
}

export interface Schema {
  federations: FederationsTable;
  members: MembersTable;
  invitations: InvitationsTable;
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
  models: ModelsTable;
  audit: AuditTable;
  liveEmbeddings: LiveEmbeddingsTable;
  workers: WorkersTable;
  revision: RevisionTable;
}

/** What every repository function takes: the database, or a transaction of the caller's. */
export type Db = Kysely<Schema>;

export type FederationRow = Selectable<FederationsTable>;
export type MemberRow = Selectable<MembersTable>;
export type InvitationRow = Selectable<InvitationsTable>;
export type UploadRow = Selectable<UploadsTable>;
export type BundleRow = Selectable<BundlesTable>;
export type DeletedBundleRow = Selectable<DeletedBundlesTable>;
export type LabelSetRow = Selectable<LabelSetsTable>;
export type TrainingRow = Selectable<TrainingsTable>;
export type ModelRow = Selectable<ModelsTable>;
export type AuditRow = Selectable<AuditTable>;
export type NewUpload = Pick<Insertable<UploadsTable>, 'federation' | 'member' | 'kind' | 'sha256' | 'size'>;
