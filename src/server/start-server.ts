// [coordinator] The coordinator as a process: its database, its queue, its worker and its port, ended in good order.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createKeyPair, loadKeyPair, saveKeyPair } from '../exchange/identity/key-pair.ts';
import { appendAudit } from '../storage/audit.ts';
import { makeDirectory } from '../storage/database/make-directory.ts';
import { type DatabaseLocation, openDatabase, type Store } from '../storage/database/open-database.ts';
import { addMember, findMemberByKeyId } from '../storage/members.ts';
import { type App, type AppOptions, buildApp } from './app.ts';
import { startHousekeeping } from './housekeeping.ts';
import { listen } from './listen.ts';
import { ModelShelf } from './prediction/model-shelf.ts';
import { Directory } from './tokens/directory.ts';
import { openTokenLedger } from './tokens/token-ledger.ts';
import { TokenThread } from './tokens/token-thread.ts';
import { TrainingQueue } from './training/training-queue.ts';

export interface ServerOptions extends AppOptions {
  /** Holds the operator's key, and the database unless there is a server for it. */
  data: string;
  /** postgres://… */
  database?: string;
  host: string;
  port: number;
  /** Train here too; otherwise workers elsewhere do. */
  work: boolean;
  threads?: number;
  /** Between checkpoints of a training. */
  checkpointSeconds?: number;
}

export interface RunningServer {
  app: App;
  store: Store;
  url: string;
  /** File with the key of the operator. */
  operatorKey: string;
  close(): Promise<void>;
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { data, database } = options;
  makeDirectory(data);
  const store = await openDatabase(locationOf(data, database));
  // Whatever was opened is closed again, last first, at the end and when the start fails: nothing may keep the process.
  const opened = [() => store.close()];
  const close = async () => {
    for (const end of opened.splice(0).reverse()) await end();
  };
  try {
    return { ...(await open(store, options, opened)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(
  store: Store,
  options: ServerOptions,
  opened: (() => Promise<void>)[],
): Promise<Omit<RunningServer, 'close'>> {
  const { data, host, port, work, threads, checkpointSeconds, https } = options;
  const operatorKey = await ensureOperator(store, join(data, 'operator-key.json'));
  const late: { app?: App } = {};
  const queue = await TrainingQueue.open(store, (error) => {
    late.app?.log.error({ err: error }, 'queue');
  });
  const directory = new Directory(store);
  const [models, ledger] = [new ModelShelf(store, directory), openTokenLedger(store, directory)];
  const tokens = new TokenThread();
  const housekeeping = startHousekeeping(store);
  opened.push(
    () => tokens.close(),
    () => models.close(),
    () => housekeeping.close(),
    async () => ledger.close(),
    () => queue.close(),
  );
  const app = await buildApp({ store, directory, ledger, tokens, models, queue }, options);
  late.app = app;
  opened.push(() => app.close());
  await listen(app, { host, port });
  if (work) {
    await queue.work({
      ...(threads !== undefined && { threads }),
      ...(checkpointSeconds !== undefined && { checkpointSeconds }),
    });
  }
  const address = app.server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  return { app, store, operatorKey, url: `${https ? 'https' : 'http'}://${host}:${bound}` };
}

export const locationOf = (data: string, database: string | undefined): DatabaseLocation =>
  database === undefined ? { kind: 'embedded', dir: join(data, 'database') } : { kind: 'postgres', url: database };

/** Made at the first start: whoever can read the file runs the server. */
async function ensureOperator(store: Store, file: string): Promise<string> {
  if (!existsSync(file)) await saveKeyPair(file, await createKeyPair());
  const { id, publicKey } = await loadKeyPair(file);
  if (await findMemberByKeyId(store.db, id)) return file;
  const operator = { federation: null, owner: `operator-${id.slice(0, 8)}`, role: 'operator' as const };
  const { owner } = await addMember(store.db, { ...operator, keyId: id, publicKey });
  await appendAudit(store.db, { federation: null, actor: owner, action: 'operator.made' });
  return file;
}
