// [coordinator] Opens a database for a backup, if it is there.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { F3Error } from '../../errors.ts';
import { type DatabaseLocation, openDatabase } from '../database/open-database.ts';
import { type BackupOptions, type WrittenBackup, writeBackup } from './write-backup.ts';

export async function backupStore(location: DatabaseLocation, options: BackupOptions): Promise<WrittenBackup> {
  if (location.kind === 'embedded' && !existsSync(join(location.dir, 'database'))) {
    throw new F3Error('F3_STORAGE_DIRECTORY', `data folder ${options.data}: must hold a database, got none`);
  }
  const store = await openDatabase(location);
  try {
    return await writeBackup(store.db, options);
  } finally {
    await store.close();
  }
}
