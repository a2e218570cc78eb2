// [coordinator] What every route may use.
import type { Quotas } from '../exchange/quotas.ts';
import type { Store } from '../storage/database/open-database.ts';
import type { AuditCounts } from './audit/audit-counts.ts';
import type { AuditSeal } from './audit/audit-seal.ts';
import type { DiskWatch } from './disk-watch.ts';
import type { EvaluationShelf } from './evaluation/evaluation-shelf.ts';
import type { LiveFeed } from './prediction/live-feed.ts';
import type { ModelShelf } from './prediction/model-shelf.ts';
import type { RequestThread } from './requests/request-thread.ts';
import type { ServerLimits } from './server-limits.ts';
import type { ShareDesk } from './shares/share-desk.ts';
import type { Directory } from './tokens/directory.ts';
import type { InferenceAccess } from './tokens/inference-access.ts';
import type { LastSeen } from './tokens/last-seen.ts';
import type { SessionAccess } from './tokens/session-access.ts';
import type { TokenLedger } from './tokens/token-ledger.ts';
import type { TokenThread } from './tokens/token-thread.ts';
import type { TrainingQueue } from './training/training-queue.ts';
import type { UploadChecks } from './uploads/upload-checks.ts';

export interface ServerContext {
  store: Store;
  /** The data folder. */
  data: string;
  directory: Directory;
  ledger: TokenLedger;
  tokens: TokenThread;
  inference: InferenceAccess;
  sessions: SessionAccess;
  lastSeen: LastSeen;
  models: ModelShelf;
  shares: ShareDesk;
  evaluations: EvaluationShelf;
  requests: RequestThread;
  feed: LiveFeed;
  queue: TrainingQueue;
  counts: AuditCounts;
  seal: AuditSeal;
  checks: UploadChecks;
  disk: DiskWatch;
  limits: ServerLimits;
  /** What a member and a federation may take, unless something else was set for the federation. */
  quotas: Quotas;
  /** Sessions ask questions and change nothing, whatever their role. */
  isReadOnly: boolean;
  /** Bytes that a training may take, where no worker says what it may take there. */
  trainingMemory: number;
}
