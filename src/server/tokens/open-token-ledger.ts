// [coordinator] Opens the ledger of used tokens that fits the database.
import type { Store } from '../../storage/database/open-database.ts';
import type { Directory } from './directory.ts';
import { MemoryLedger } from './memory-ledger.ts';
import { SharedLedger } from './shared-ledger.ts';
import type { LedgerOptions, TokenLedger } from './token-ledger.ts';

export const openTokenLedger = (
  store: Store,
  directory: Directory,
  options: LedgerOptions = {},
): Promise<TokenLedger> =>
  store.kind === 'embedded' ? MemoryLedger.open(store, options) : SharedLedger.open(store, directory, options);
