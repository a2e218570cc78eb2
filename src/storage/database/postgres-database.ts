// [coordinator] A PostgreSQL server, shared by any number of coordinators and workers.
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresDialect } from 'kysely';
import pg from 'pg';
import { F3Error } from '../../errors.ts';
import { INT8, parseInt8 } from './column-types.ts';
import { makeKysely } from './make-kysely.ts';
import { migrate } from './migrate.ts';
import type { DatabaseLocation, OpenOptions, Store } from './open-database.ts';

type PostgresLocation = Extract<DatabaseLocation, { kind: 'postgres' }>;

/** A coordinator that vanishes within a transaction must not hold its locks for hours. */
const IDLE_IN_TRANSACTION_MS = 60_000;
const CONNECT_MS = 10_000;
/** For so long a start waits for a server that cannot take it yet. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 250;
/** SQLSTATE of a server that starts, recovers or shuts down (57P), or has no connection left (53300). */
const NOT_YET = /^(57P0[1-3]|53300)$/;
/** What the pool says of a server that has not answered within `CONNECT_MS`; it has no code. */
const SLOW = /^timeout exceeded when trying to connect/;

const POSTGRES_TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === INT8 ? parseInt8 : pg.types.getTypeParser(oid, format)),
};

export async function openPostgresDatabase(
  { url, connections = 10 }: PostgresLocation,
  { upTo }: OpenOptions,
): Promise<Store> {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    // Once open they stay: a new one is a process of the server without its caches, and the first who need it wait for that.
    min: connections,
    types: POSTGRES_TYPES,
    application_name: 'f3',
    connectionTimeoutMillis: CONNECT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
  });
  // A server that restarts breaks idle connections. The pool replaces them; without a listener it would end the process.
  pool.on('error', () => {});
  // A connection in use may break between two statements of a transaction; then the next statement fails.
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = makeKysely(new PostgresDialect({ pool }));
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= db.destroy().then(() => (pool.ended ? undefined : pool.end()));
    return closed;
  };
  try {
    await reach(pool, url);
    await migrate(db, upTo);
  } catch (error) {
    await close();
    throw error;
  }
  const run: Store['executeSql'] = (text, values) => executeSql(pool, text, values);
  return { kind: 'postgres', db, executeSql: run, onChange: () => {}, maintain: async () => {}, close };
}

/**
 * After a crash of its own a server recovers before it takes anybody, and the connections of a coordinator that was killed are
 * taken until it notices. Both pass. A wrong address, password or name does not, so those are errors at once.
 */
async function reach(pool: pg.Pool, url: string): Promise<void> {
  const overdue = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      await pool.query('select 1');
      return;
    } catch (cause) {
      // A server that refuses on several addresses gives an AggregateError without a message.
      const { message, code } = cause as Error & { code?: string };
      const mayPass = NOT_YET.test(code ?? '') || SLOW.test(message);
      if (!mayPass || performance.now() > overdue) {
        const problem = `must answer, got ${message || code || 'no answer'}`;
        throw new F3Error('F3_STORAGE_UNREACHABLE', `database ${withoutSecrets(url)}: ${problem}`, { cause });
      }
      await sleep(PAUSE_MS);
    }
  }
}

/** Names the host and the database only, because a URL may carry a password, in more than one place. */
function withoutSecrets(url: string): string {
  const { host, pathname } = URL.parse(url) ?? { host: '', pathname: '' };
  return `postgres://${host}${pathname}`;
}

async function executeSql(pool: pg.Pool, text: string, values?: unknown[]) {
  const result = values?.length ? await pool.query(text, values) : await pool.query(text);
  // Several statements give several results.
  const results: pg.QueryResult<Record<string, unknown>>[] = Array.isArray(result) ? result : [result];
  return { rows: results.flatMap(({ rows }) => rows) };
}
