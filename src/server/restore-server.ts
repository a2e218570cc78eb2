// [coordinator] Restores a backup into an empty data folder, or an empty PostgreSQL database, ready for the next start.
import { type RestoredBackup, restoreBackup } from '../storage/backup/restore-backup.ts';
import { openDatabase } from '../storage/database/open-database.ts';
import { locationOf } from './start-server.ts';
import { TrainingQueue } from './training/training-queue.ts';

export interface RestoreServerOptions {
  file: string;
  /** The coordinator's data folder. */
  data: string;
  /** postgres://…; without it the database is embedded and lies in `data`. */
  database?: string | undefined;
}

/** A backup of either kind of database may be restored into the other. */
export async function restoreServer({ file, data, database }: RestoreServerOptions): Promise<RestoredBackup> {
  const location = locationOf(data, database);
  const restored = await restoreBackup({ file, data, location });
  if (location.kind === 'embedded') return restored; // its next start queues trainings by itself
  const store = await openDatabase(location);
  try {
    const queue = await TrainingQueue.open(store, () => undefined);
    await queue.recover();
    await queue.close();
  } finally {
    await store.close();
  }
  return restored;
}
