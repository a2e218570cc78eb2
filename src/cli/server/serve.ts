// `f3 serve`: runs the coordinator that owners talk to.
import { Command, InvalidArgumentError, Option } from 'commander';
import { F3Error } from '../../errors.ts';
import type { Quotas } from '../../exchange/quotas.ts';
import { plainHttpWarning } from '../../server/http/plain-http.ts';
import {
  DEFAULT_LIMITS,
  LIMIT_NAMES,
  parseLimit,
  purposeOfLimit,
  type ServerLimits,
} from '../../server/server-limits.ts';
import type { RunningServer } from '../../server/start-server.ts';
import { quotaChange } from '../federation/quotas.ts';
import { byteCount, integerFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { endRequested } from '../terminal/end-requested.ts';
import { shownTime } from '../terminal/shown-time.ts';
import type { TlsFileOptions } from '../tls-files.ts';
import {
  type DatabaseOptions,
  databaseUrl,
  PASSWORD_FILE_FLAG,
  PASSWORD_FILE_TEXT,
  serverTls,
} from './server-options.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

interface Options extends TlsFileOptions, DatabaseOptions {
  data: string;
  host: string;
  port: number;
  /** False with --no-work. */
  work: boolean;
  threads?: number;
  requestsPerMinute: number;
  limit?: Partial<ServerLimits>;
  acceptClock?: boolean;
  quota?: Partial<Record<keyof Quotas, number | null>>;
  trainingMemory?: number;
  logLevel: string;
  link?: boolean;
  json?: boolean;
}

export function serveCommand(): Command {
  return new Command('serve')
    .description('run a coordinator: owners join, send their bundles once, and ask for predictions')
    .option('--data <dir>', "the operator's key, and the database unless --database is given", 'f3-data')
    .option('--database <url>', 'postgres://… instead of the embedded database; several coordinators may share it')
    .option(PASSWORD_FILE_FLAG, PASSWORD_FILE_TEXT)
    .option('--host <name>', 'address to listen on', '127.0.0.1')
    .option('--port <n>', 'port to listen on; 0 takes a free one', integerFrom(0, 65_535), 7700)
    .option('--tls-cert <file>', 'certificate (PEM); with --tls-key the coordinator speaks HTTPS')
    .option('--tls-key <file>', 'its private key (PEM)')
    .option('--tls-ca <file>', 'only clients with a certificate of this authority may connect')
    .option('--no-work', 'do not train here; f3 worker processes do')
    .option('--threads <n>', 'for training (default: F3_THREADS, else all cores)', integerFrom(1, 256))
    .option('--requests-per-minute <n>', 'of each member', integerFrom(1), 6000)
    .option('--limit <name=number>', 'change a limit, as often as needed; K, M and G are powers of 1024', addLimit)
    .option(
      '--accept-clock',
      'take the clock for right although it went back; say it once, docs/operations.md tells when',
    )
    .option(
      '--quota <name=most>',
      'what a member or a federation may take (repeat it; f3 federation quotas --help lists them)',
      quotaChange,
    )
    .option(
      '--training-memory <size>',
      'that a training may take, e.g. 2GB (default: half of the machine’s, at most 4GiB)',
      byteCount,
    )
    .addOption(new Option('--log-level <level>', 'how much is logged').choices(LOG_LEVELS).default('info'))
    .option('--link', 'print a link to the dashboard on stderr, also where nobody sits at the terminal')
    .option('--no-link', 'print none')
    .option('--json', 'print the address as one line of JSON')
    .addHelpText(
      'after',
      `
The first start makes an operator and its key (operator-key.json in --data): whoever has that file runs the coordinator.
Then invite owners and the label holder; each joins with its code, and its private key never leaves it.

  f3 serve --data coordinator
  f3 login http://127.0.0.1:7700 --key coordinator/operator-key.json
  f3 federation create grid --classes calm,storm
  f3 owner invite grid plant-7

Limits (--limit, or F3_LIMITS=name=number,…), each the most:
${LIMIT_NAMES.map((name) => `  ${`${name}=${DEFAULT_LIMITS[name]}`.padEnd(36)} ${purposeOfLimit(name)}`).join('\n')}

Logs are JSON lines on stderr. SIGTERM and Ctrl-C end it in good order; a training under way goes on after the next start.
What was acknowledged survives a crash. The coordinator's address in a browser is the dashboard; a link with a one-time code lets you in.`,
    )
    .action(runServe);
}

async function runServe(options: Options): Promise<void> {
  const https = serverTls(options);
  const database = databaseUrl(options);
  const { startServer } = await import('../../server/start-server.ts');
  const ended = endRequested();
  const server = await startServer({
    data: options.data,
    host: options.host,
    port: options.port,
    work: options.work,
    database,
    threads: options.threads,
    ...(https && { https }),
    requestsPerMinute: options.requestsPerMinute,
    limits: { ...limitsOf(process.env.F3_LIMITS), ...options.limit },
    acceptClock: options.acceptClock,
    quotas: givenQuotas(options.quota),
    trainingMemory: options.trainingMemory,
    ...(process.env.F3_CHECKPOINT_SECONDS && { checkpointSeconds: Number(process.env.F3_CHECKPOINT_SECONDS) }),
    log: { level: options.logLevel, stream: process.stderr },
  });
  const { url, operatorKey } = server;
  const warning = plainHttpWarning(options.host, https !== undefined);
  if (warning) process.stderr.write(`f3: WARNING: ${warning} (--tls-cert, --tls-key)\n`);
  printResult({ url, operatorKey }, `coordinator at ${url}, operator's key in ${operatorKey}`, options.json);
  if (options.link ?? process.stderr.isTTY) await printLink(server);
  await ended;
  await server.close();
}

/** On stderr and only for people: the code lets whoever reads it in, once, so it must not lie in a log. */
async function printLink(server: RunningServer): Promise<void> {
  const { url, expires } = await server.dashboardLink();
  process.stderr.write(
    `f3: dashboard (once, until ${shownTime(expires)} UTC; f3 dashboard prints another link)\n    ${url}\n`,
  );
}

function addLimit(text: string, before: Partial<ServerLimits> = {}): Partial<ServerLimits> {
  try {
    return { ...before, ...parseLimit(text) };
  } catch (error) {
    if (error instanceof F3Error) throw new InvalidArgumentError(`${error.message}.`);
    throw error;
  }
}

/** Limits of the environment: `name=number`, separated by commas. */
function limitsOf(text = ''): Partial<ServerLimits> {
  return Object.assign(
    {},
    ...text
      .split(',')
      .filter((part) => part.trim() !== '')
      .map(parseLimit),
  );
}

/** Leaves out those that were put back to their default. */
function givenQuotas(quotas: Options['quota'] = {}): Partial<Quotas> {
  return Object.fromEntries(Object.entries(quotas).filter(([, most]) => most !== null));
}
