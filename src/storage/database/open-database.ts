// [coordinator] The coordinator's database: PGlite in a folder, or a PostgreSQL server. Same schema, same migrations.
import type { Db } from '../schema.ts';

export type DatabaseLocation =
  | {
      kind: 'embedded';
      /** The folder, which is made if it is not there. */
      dir: string;
      /** Whether each commit is flushed to the disk. Otherwise it survives the death of the process, but not a power cut. */
      fsync?: boolean;
    }
  | {
      kind: 'postgres';
      /** postgres://user:password@host:port/database */
      url: string;
      /** The most connections at a time. */
      connections?: number;
    };

/** What the repositories of this folder do is on disk when their promise resolves. */
export interface Store {
  readonly kind: DatabaseLocation['kind'];
  readonly db: Db;
  /** Runs one statement with values, or any number without. pg-boss asks this of a database. */
  executeSql(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  /**
   * The embedded database calls this when a member or a federation has changed, before whoever changed it is answered.
   * A PostgreSQL server does not, because others change it too; `useOnce` gives the revision with every request.
   */
  onChange(listener: () => void): void;
  /**
   * Vacuums and makes checkpoints when there is enough to do, as PostgreSQL does by itself and PGlite does not. The store
   * calls it every few seconds; on PostgreSQL it does nothing.
   */
  maintain(): Promise<void>;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** The last migration that is made, for a backup that an older version wrote; all by default. */
  upTo?: string | undefined;
}

/** Waits until the schema is that of this version. The code of each kind is loaded when it is asked for. */
export async function openDatabase(location: DatabaseLocation, options: OpenOptions = {}): Promise<Store> {
  if (location.kind === 'embedded') {
    const { openEmbeddedDatabase } = await import('./embedded-database.ts');
    return openEmbeddedDatabase(location, options);
  }
  const { openPostgresDatabase } = await import('./postgres-database.ts');
  return openPostgresDatabase(location, options);
}
