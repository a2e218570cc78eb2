// [coordinator] Starts the coordinator as a process, with database, queue, worker and port, and closes all of them in order.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { F3Error } from '../errors.ts';
import { dashboardUrl } from '../exchange/identity/dashboard-url.ts';
import { createKeyPair, loadKeyPair, saveKeyPair } from '../exchange/identity/key-pair.ts';
import { type Quotas, STANDARD_QUOTAS } from '../exchange/quotas.ts';
import { appendAudit, COORDINATOR } from '../storage/audit.ts';
import { readClock } from '../storage/clock.ts';
import { isFullDisk } from '../storage/database/full-disk.ts';
import { makeDirectory } from '../storage/database/make-directory.ts';
import { type DatabaseLocation, openDatabase, type Store } from '../storage/database/open-database.ts';
import { requireWritableFolder } from '../storage/database/writable-folder.ts';
import { addMember, findMemberByKeyId } from '../storage/members.ts';
import { type App, type AppOptions, buildApp } from './app.ts';
import { AuditCounts } from './audit/audit-counts.ts';
import { AuditSeal } from './audit/audit-seal.ts';
import { DiskWatch } from './disk-watch.ts';
import { EvaluationShelf } from './evaluation/evaluation-shelf.ts';
import { startHousekeeping } from './housekeeping.ts';
import { listen } from './http/listen.ts';
import { plainHttpWarning } from './http/plain-http.ts';
import { LiveFeed } from './prediction/live-feed.ts';
import { ModelShelf } from './prediction/model-shelf.ts';
import { RequestThread } from './requests/request-thread.ts';
import { newSessionCode } from './routes/sessions.ts';
import { resolveLimits, type ServerLimits } from './server-limits.ts';
import { ShareDesk } from './shares/share-desk.ts';
import { Directory } from './tokens/directory.ts';
import { InferenceAccess } from './tokens/inference-access.ts';
import { LastSeen } from './tokens/last-seen.ts';
import { openTokenLedger } from './tokens/open-token-ledger.ts';
import { SessionAccess } from './tokens/session-access.ts';
import { TokenThread } from './tokens/token-thread.ts';
import { defaultTrainingMemory } from './training/require-memory.ts';
import { TrainingQueue } from './training/training-queue.ts';
import { UploadChecks } from './uploads/upload-checks.ts';

/** Where a coordinator keeps its data, where it answers, and whether it trains. */
export interface ServerOptions extends AppOptions {
  /** Folder of the operator's key, and of the database unless `database` names a server. */
  data: string;
  /** postgres://…; without it the database is embedded and lies in `data`. */
  database?: string | undefined;
  /** The address to listen on. The default, 127.0.0.1, is reached from this machine only. */
  host?: string | undefined;
  /** The port to listen on; 7700 by default. With 0 the system chooses a free one. */
  port?: number | undefined;
  /** Whether this process trains, too, which is the default; otherwise other workers do. */
  work?: boolean | undefined;
  /** Threads of a training. By default the environment variable `F3_THREADS` decides, else there is one per core. */
  threads?: number | undefined;
  /** Seconds between checkpoints of a training. */
  checkpointSeconds?: number | undefined;
  /** What differs from the default limits. */
  limits?: Partial<ServerLimits> | undefined;
  /**
   * Takes the system's clock for right, even if it is behind what it has shown before. Tokens that somebody recorded while the
   * clock was ahead can then be used again for a minute, once that time comes.
   */
  acceptClock?: boolean | undefined;
  /** What differs from `STANDARD_QUOTAS`, for every federation that has no quotas of its own. */
  quotas?: Partial<Quotas> | undefined;
  /** Bytes that a training may take. By default half of the machine's memory, and 4 GiB at most. */
  trainingMemory?: number | undefined;
  /** Seconds over which refusals, reads and predictions are counted for one entry of the audit log; 60 by default. */
  auditSeconds?: number | undefined;
}

const AUDIT_SECONDS = 60;

/** A coordinator that answers. */
export interface RunningServer {
  /** Where it answers, with the port that was bound. */
  url: string;
  /** File with the key of the operator. */
  operatorKey: string;
  /** The dashboard's address with a fresh one-time code, which opens it in the name of the operator whose key lies in `operatorKey`. */
  dashboardLink(): Promise<{ url: string; expires: string }>;
  /** Ends in good order: requests are answered, a training stops at its checkpoint. */
  close(): Promise<void>;
}

/** What only parts of f3 ask of a server. */
export interface InnerOptions extends ServerOptions {
  /** Sessions ask questions and change nothing. */
  isReadOnly?: boolean;
}

/** A server with its inner parts, which tests look into. */
export interface OpenedServer extends RunningServer {
  app: App;
  store: Store;
  counts: AuditCounts;
  requests: RequestThread;
}

/** Starts a coordinator, which answers when the promise resolves. The first start makes its database and its key. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { url, operatorKey, dashboardLink, close } = await openServer(options);
  return { url, operatorKey, dashboardLink, close };
}

export async function openServer(options: InnerOptions): Promise<OpenedServer> {
  const { data, database } = options;
  const limits = resolveLimits(options.limits);
  makeDirectory(data);
  requireWritableFolder(data);
  try {
    return await openAll(options, limits);
  } catch (error) {
    throw isFullDisk(error) ? fullAtStart(data, database, error) : error;
  }
}

/** A disk that has room for a probe may have none for a database. */
function fullAtStart(data: string, database: string | undefined, cause: unknown): F3Error {
  const place = database === undefined ? `data folder ${data}` : 'database';
  const rule = 'must have room for what a start writes, got a full disk';
  return new F3Error('F3_STORAGE_DIRECTORY', `${place}: ${rule}; free some space, then start again`, { cause });
}

async function openAll(options: InnerOptions, limits: ServerLimits): Promise<OpenedServer> {
  const { data, database } = options;
  const store = await openDatabase(locationOf(data, database));
  // Whatever was opened is closed again, last first, at the end and when the start fails. Otherwise the process would not end.
  const opened = [() => store.close()];
  const close = async () => {
    for (const end of opened.splice(0).reverse()) await end();
  };
  try {
    return { ...(await open(store, { ...options, limits }, opened)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(
  store: Store,
  options: InnerOptions & { limits: ServerLimits },
  opened: (() => Promise<void>)[],
): Promise<Omit<OpenedServer, 'close'>> {
  const {
    data,
    host = '127.0.0.1',
    port = 7700,
    work = true,
    threads,
    checkpointSeconds,
    https,
    limits,
    acceptClock,
    auditSeconds = AUDIT_SECONDS,
  } = options;
  const { trainingMemory = defaultTrainingMemory() } = options;
  const quotas = { ...STANDARD_QUOTAS, ...options.quotas };
  const built: { app?: App } = {}; // The queue and the seal open before the app that they log to.
  const seal = await AuditSeal.open(store, join(data, 'audit-key.json'), (federation) => {
    built.app?.log.error({ federation }, 'audit log changed');
  });
  opened.push(() => seal.close());
  const operatorKey = await ensureOperator(store, join(data, 'operator-key.json'));
  const counts = new AuditCounts(store, auditSeconds);
  opened.push(() => counts.close());
  const queue = await TrainingQueue.open(store, (error) => {
    built.app?.log.error({ err: error }, 'queue');
  });
  opened.push(() => queue.close());
  const directory = new Directory(store, quotas);
  if (acceptClock) await acceptTime(store, operatorKey);
  const ledger = await openTokenLedger(store, directory, { acceptClock });
  opened.push(() => ledger.close());
  const models = new ModelShelf(store, directory);
  const shares = new ShareDesk(store);
  const evaluations = new EvaluationShelf(store, limits);
  const requests = new RequestThread();
  const [tokens, inference] = [new TokenThread(), new InferenceAccess(store, directory)];
  const sessions = new SessionAccess(store, directory, limits);
  const checks = new UploadChecks(store, limits);
  const disk = new DiskWatch({ dir: data, reserve: limits.diskReserveBytes });
  const housekeeping = startHousekeeping(store);
  opened.push(
    () => checks.close(),
    () => inference.close(),
    () => sessions.close(),
    () => tokens.close(),
    () => models.close(),
    () => shares.close(),
    () => evaluations.close(),
    () => requests.close(),
    () => housekeeping.close(),
  );
  const context = {
    store,
    data,
    directory,
    ledger,
    tokens,
    inference,
    sessions,
    models,
    shares,
    evaluations,
    requests,
    feed: new LiveFeed(),
    lastSeen: new LastSeen(),
    queue,
    checks,
    disk,
    quotas,
    trainingMemory,
    limits,
    counts,
    seal,
    isReadOnly: options.isReadOnly ?? false,
  };
  const app = await buildApp(context, options);
  built.app = app;
  opened.push(
    () => app.close(),
    // A training is told first, so that it stops while requests are answered.
    async () => queue.stop(),
  );
  await listen(app, { host, port });
  const warning = plainHttpWarning(host, https !== undefined);
  if (warning) app.log.warn(warning);
  if (work) {
    await queue.work({ threads, checkpointSeconds, memory: trainingMemory, mostRunning: quotas.federationRunning });
  }
  const address = app.server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  const url = `${https ? 'https' : 'http'}://${host}:${bound}`;
  const dashboardLink = () => operatorLink(store, operatorKey, url);
  return { app, store, counts, requests, operatorKey, url, dashboardLink };
}

/** Says in the server's own log that an operator took the clock for right, and what it showed before. */
async function acceptTime(store: Store, operatorKey: string): Promise<void> {
  const { id } = await loadKeyPair(operatorKey);
  const operator = await findMemberByKeyId(store.db, id);
  const { mark } = await readClock(store.db);
  const details = { before: mark.toISOString(), now: new Date().toISOString() };
  const actor = operator?.owner ?? COORDINATOR;
  await appendAudit(store.db, { federation: null, actor, action: 'clock.accepted', details });
}

async function operatorLink(store: Store, operatorKey: string, url: string): Promise<{ url: string; expires: string }> {
  const { id } = await loadKeyPair(operatorKey);
  const operator = await findMemberByKeyId(store.db, id);
  if (!operator) throw new Error(`operator of ${operatorKey}: must be a member, got none`);
  const { code, expires } = await newSessionCode(store, operator);
  return { url: dashboardUrl(url, code), expires };
}

export const locationOf = (data: string, database: string | undefined): DatabaseLocation =>
  database === undefined ? { kind: 'embedded', dir: join(data, 'database') } : { kind: 'postgres', url: database };

/** Creates the operator's key at the first start. Whoever can read its file controls the server. */
async function ensureOperator(store: Store, file: string): Promise<string> {
  if (!existsSync(file)) await saveKeyPair(file, await createKeyPair());
  const { id, publicKey } = await loadKeyPair(file);
  if (await findMemberByKeyId(store.db, id)) return file;
  const operator = { federation: null, owner: `operator-${id.slice(0, 8)}`, role: 'operator' as const };
  const { owner } = await addMember(store.db, { ...operator, keyId: id, publicKey });
  await appendAudit(store.db, { federation: null, actor: owner, action: 'operator.made' });
  return file;
}
