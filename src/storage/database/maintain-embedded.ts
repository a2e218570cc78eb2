// [coordinator] Vacuum and checkpoints for PGlite, which has no background processes.
import type { PGlite } from '@electric-sql/pglite';

/** Bytes of log after which a checkpoint is made. Without checkpoints the log would grow, and be read at each start, for ever. */
const LOG_BYTES = 32 * 2 ** 20;
/** Deleted rows after which a table is vacuumed. A row of 1 MiB is a few hundred in the table that holds its pieces. */
const DEAD_ROWS = 500;

export async function maintainEmbedded(pglite: PGlite): Promise<void> {
  const { rows } = await pglite.query<{ tables: string[] | null }>(
    `select array_agg(table_name) as tables from (
      select format('%I.%I', schemaname, relname) as table_name from pg_stat_user_tables
      where n_dead_tup > $1 + n_live_tup / 5
      union select format('%I.%I', main.relnamespace::regnamespace, main.relname) from pg_stat_all_tables toast
      join pg_class main on main.reltoastrelid = toast.relid where toast.n_dead_tup > $1 + toast.n_live_tup / 5
    ) due`,
    [DEAD_ROWS],
  );
  for (const table of rows[0].tables ?? []) await pglite.exec(`vacuum (analyze) ${table}`);
  // Asked last, because a vacuum may write as much log as what it clears away.
  const { rows: logs } = await pglite.query<{ log: number }>(
    'select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 as log from pg_control_checkpoint()',
  );
  if (logs[0].log > LOG_BYTES) await pglite.exec('checkpoint');
}
