// [coordinator] The tables of the database as types. PGlite and PostgreSQL have the same schema, which the migrations make.
import type { Kysely } from 'kysely';
import type { AuditChainsTable, AuditHeadsTable, AuditKeysTable, AuditTable } from './tables/audit.ts';
import type {
  BlobChunksTable,
  BlobsTable,
  BundlesTable,
  DeletedBundlesTable,
  LabelSetsTable,
  LiveEmbeddingsTable,
  UploadsTable,
} from './tables/content.ts';
import type { LabelGrantsTable, LabelKeysTable, LabelRulesTable, ScoredPartsTable } from './tables/label-rules.ts';
import type {
  ClockTable,
  CreationsTable,
  FederationsTable,
  FormerKeysTable,
  InferenceTokensTable,
  InvitationsTable,
  MembersTable,
  RevisionTable,
  UsedTokensTable,
} from './tables/membership.ts';
import type { SessionCodesTable, SessionsTable } from './tables/sessions.ts';
import type { ShareChartersTable, ShareEntitiesTable } from './tables/share-charters.ts';
import type {
  CheckpointsTable,
  ModelReportsTable,
  ModelsTable,
  QuotasTable,
  TrainingFitsTable,
  TrainingsTable,
  WorkersTable,
} from './tables/trainings.ts';

export type * from './tables/audit.ts';
export type { JsonObject } from './tables/column-kinds.ts';
export type * from './tables/content.ts';
export type * from './tables/label-rules.ts';
export type * from './tables/membership.ts';
export type * from './tables/sessions.ts';
export type * from './tables/share-charters.ts';
export type * from './tables/trainings.ts';

export interface Schema {
  federations: FederationsTable;
  members: MembersTable;
  formerKeys: FormerKeysTable;
  invitations: InvitationsTable;
  inferenceTokens: InferenceTokensTable;
  sessionCodes: SessionCodesTable;
  sessions: SessionsTable;
  creations: CreationsTable;
  usedTokens: UsedTokensTable;
  earlyTokens: UsedTokensTable;
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
  modelReports: ModelReportsTable;
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
  shareCharters: ShareChartersTable;
  shareEntities: ShareEntitiesTable;
  revision: RevisionTable;
  clock: ClockTable;
}

/** The database, or a transaction of the caller. Every function of this folder takes it. */
export type Db = Kysely<Schema>;
