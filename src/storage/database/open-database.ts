// [coordinator] The coordinator's database: PGlite in a folder, or a PostgreSQL server. Same schema, same migrations.
import type { Db } from '../schema.ts';

export type DatabaseLocation =
  | {
      kind: 'embedded';
      /** Made if it is not there. */
      dir: string;
      /** Flush each commit to the disk. Without it a commit survives the death of the process, but not a power cut. */
      fsync?: boolean;
    }
  | {
      kind: 'postgres';
      /** postgres://user:password@host:port/database */
      url: string;
      /** Connections at most. */
      connections?: number;
    };

/** What the repositories of this folder do is on disk when their promise resolves. */
export interface Store {
  readonly kind: DatabaseLocation['kind'];
  readonly db: Db;
  /** One statement with values, or any number without: what pg-boss asks of a database. */
  executeSql(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  /**
   * The embedded database calls this when a member or a federation has changed, before whoever changed it is answered.
   * A PostgreSQL server does not: others change it too, and `useOnce` tells the revision with every request.
   */
  onChange(listener: () => void): void;
  /**
   * What PostgreSQL does by itself and PGlite does not: vacuum and checkpoint, when there is enough to do. The store
   * calls it every few seconds; on PostgreSQL it does nothing.
   */
  maintain(): Promise<void>;
  close(): Promise<void>;
}

/** Waits until the schema is this version's. Each kind is loaded when it is asked for. */
export async function openDatabase(location: DatabaseLocation): Promise<Store> {
  if (location.kind === 'embedded') {
    const { openEmbeddedDatabase } = await import('./embedded-database.ts');
    return openEmbeddedDatabase(location);
  }
  const { openPostgresDatabase } = await import('./postgres-database.ts');
  return openPostgresDatabase(location);
}
