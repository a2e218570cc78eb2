// [coordinator] The thread behind `EmbeddedThread`: runs PGlite, whose work and whose flushes to the disk would stop whoever shares
// its thread.
import type { Transferable } from 'node:worker_threads';
import { PGlite, type Transaction } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { answerQuestions, sendReport } from '../../base/worker-thread.ts';
import { EMBEDDED_TYPES } from './column-types.ts';
import { withLateOptimising } from './late-optimising.ts';
import { maintainEmbedded } from './maintain-embedded.ts';
import { SYNCED_START_PARAMS, SyncedNodeFS } from './synced-node-fs.ts';

export type EmbeddedQuestion =
  | { kind: 'open'; dir: string; fsync: boolean }
  /** Outside of transactions unless one is named. */
  | { kind: 'query'; text: string; values: unknown[]; transaction?: number | undefined }
  | { kind: 'statements'; text: string }
  | { kind: 'begin' }
  | { kind: 'end'; transaction: number; commit: boolean }
  | { kind: 'maintain' }
  | { kind: 'close' };

/** What of an error of the database says what it is: SQLSTATE, table, constraint. */
export interface DatabaseFailure {
  message: string;
  stack: string | undefined;
  details: Record<string, string | number | boolean>;
}

export interface EmbeddedAnswer {
  rows?: Record<string, unknown>[];
  affectedRows?: number | undefined;
  transaction?: number;
  failure?: DatabaseFailure;
}

/** Members or federations have changed. It comes before the answer to whoever changed them. */
export type EmbeddedReport = 'changed';

interface OpenTransaction {
  transaction: Transaction;
  end: (commit: boolean) => void;
  ended: Promise<void>;
}

let pglite: PGlite | undefined;
const transactions = new Map<number, OpenTransaction>();
let begun = 0;

answerQuestions<EmbeddedQuestion, EmbeddedAnswer>(async (question) => {
  try {
    return await answer(question);
  } catch (error) {
    return { failure: failureOf(error) };
  }
}, largeBytes);

async function answer(question: EmbeddedQuestion): Promise<EmbeddedAnswer> {
  if (question.kind === 'open') return open(question);
  const database = pglite;
  if (!database) throw new Error('embedded database: must be open, got one that is not');
  switch (question.kind) {
    case 'query': {
      const { text, values, transaction } = question;
      const { rows, affectedRows } = await placeOf(database, transaction).query<Record<string, unknown>>(text, values);
      return { rows: withOwnBytes(rows), affectedRows };
    }
    case 'statements':
      return { rows: withOwnBytes(await runStatements(database, question.text)) };
    case 'begin':
      return { transaction: await begin(database) };
    case 'end': {
      const { end, ended } = transactionOf(question.transaction);
      transactions.delete(question.transaction);
      end(question.commit);
      await ended;
      return {};
    }
    case 'maintain':
      await maintainEmbedded(database);
      return {};
    case 'close':
      await database.close();
      return {};
  }
}

async function open({ dir, fsync }: { dir: string; fsync: boolean }): Promise<EmbeddedAnswer> {
  // The thread ends with a database that cannot go on. Whoever asks next starts another, which recovers.
  const synced = () => ({ fs: new SyncedNodeFS(dir, () => process.exit(1)), startParams: SYNCED_START_PARAMS });
  const files = fsync ? synced() : { fs: new NodeFS(dir) };
  pglite = await withLateOptimising(() => PGlite.create({ ...files, ...EMBEDDED_TYPES, relaxedDurability: false }));
  // PGlite calls this at the commit, before the promise of what was committed resolves.
  await pglite.listen('f3_revision', () => sendReport<EmbeddedReport>('changed'));
  return {};
}

const placeOf = (database: PGlite, transaction: number | undefined): Pick<PGlite, 'query'> =>
  transaction === undefined ? database : transactionOf(transaction).transaction;

function transactionOf(id: number): OpenTransaction {
  const found = transactions.get(id);
  if (!found) throw new Error('transaction: must be open, got one that has ended');
  return found;
}

/** Resolves when the transaction has the database for itself. */
function begin(database: PGlite): Promise<number> {
  return new Promise((resolve, reject) => {
    const ended = database.transaction(async (transaction) => {
      const { promise: decision, resolve: end } = Promise.withResolvers<boolean>();
      const id = ++begun;
      transactions.set(id, { transaction, end, ended });
      resolve(id);
      if (!(await decision)) await transaction.rollback();
    });
    ended.catch(reject);
  });
}

async function runStatements(database: PGlite, text: string): Promise<Record<string, unknown>[]> {
  // A text with a transaction of its own that fails in the middle would leave it open for whoever comes next, so it runs
  // inside one that PGlite rolls back; the inner BEGIN then does nothing.
  const results = /^\s*begin\b/i.test(text)
    ? await database.transaction((transaction) => transaction.exec(text))
    : await database.exec(text);
  return results.flatMap(({ rows }) => rows as Record<string, unknown>[]);
}

/** Short buffers lie in memory that they share with others, all of which would be sent with them. */
function withOwnBytes(rows: Record<string, unknown>[]): Record<string, unknown>[] {
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) {
      if (value instanceof Uint8Array && value.byteLength < value.buffer.byteLength) row[name] = new Uint8Array(value);
    }
  }
  return rows;
}

/** Bytes that are handed over rather than copied. */
function largeBytes({ rows = [] }: EmbeddedAnswer): Transferable[] {
  return rows.flatMap((row) =>
    Object.values(row).flatMap((value) => (value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : [])),
  );
}

function failureOf(error: unknown): DatabaseFailure {
  if (!(error instanceof Error)) return { message: String(error), stack: undefined, details: {} };
  const plain = Object.entries(error).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  return { message: error.message, stack: error.stack, details: Object.fromEntries(plain) };
}
