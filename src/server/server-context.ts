// [coordinator] What every route may use.
import type { Store } from '../storage/open-database.ts';
import type { Directory } from './directory.ts';
import type { ModelShelf } from './model-shelf.ts';
import type { TokenLedger } from './token-ledger.ts';
import type { TokenThread } from './token-thread.ts';
import type { TrainingQueue } from './training-queue.ts';

export interface ServerContext {
  store: Store;
  directory: Directory;
  ledger: TokenLedger;
  tokens: TokenThread;
  models: ModelShelf;
  queue: TrainingQueue;
}
