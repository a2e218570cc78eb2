// `f3 federation audit`: shows who did what and when, exports the log with its proofs, and checks an exported one.
import { Command } from 'commander';
import { F3Error } from '../../errors.ts';
import type { CoordinatorClient } from '../../exchange/client/coordinator-client.ts';
import type { AuditEntry } from '../../exchange/messages.ts';
import { integerFrom } from '../option-values.ts';
import { listedLine } from '../terminal/listed-line.ts';
import { shownTime } from '../terminal/shown-time.ts';
import { type TextColumn, tableLines } from '../terminal/table.ts';
import { exportAuditFile, verifyAuditLog } from './audit-proof.ts';
import { auditSentence } from './audit-sentence.ts';
import {
  addOperatorOptions,
  FEDERATION_TEXT,
  type MemberOptions,
  operatorClient,
  operatorPlace,
} from './member-client.ts';

interface Options extends MemberOptions {
  after: number;
  limit: number;
  newest?: boolean;
  before?: number;
  server?: boolean;
  export?: string;
  /** True without a file. */
  verify?: string | true;
  auditKey?: string;
  keptHead?: string;
  head?: boolean;
  keys?: boolean;
  force?: boolean;
  verbose?: boolean;
  json?: boolean;
}

export function auditCommand(): Command {
  const command = new Command('audit')
    .description('who sent and did what, when; with proofs that a third party can check')
    .argument('[federation]', FEDERATION_TEXT)
    .option('--after <id>', 'entries after this number', integerFrom(0), 0)
    .option('--limit <n>', 'at most so many, the oldest first unless --newest', integerFrom(1, 1000), 100)
    .option('--newest', 'the newest first')
    .option('--before <id>', 'with --newest: entries before this number', integerFrom(0))
    .option('--server', "the coordinator's own log instead of a federation's")
    .option('--export <file>', 'write the whole log with its signed heads and public keys')
    .option('--force', 'replace the file')
    .option('--verify [file]', 'check an exported log, without a coordinator; or the log of the coordinator')
    .option('--audit-key <id>', 'only this key may have signed: its id, or a file that --keys printed')
    .option('--kept-head <file>', 'the log must still hold what this head counted, as --head printed it')
    .option('--head', 'print a signed head to keep: so many entries, with this hash, at this time')
    .option('--keys', "print the coordinator's public keys");
  return addOperatorOptions(command)
    .option('--verbose', 'also show the action and its details as they are kept, with hashes and whole ids')
    .option('--json', 'print one line of JSON per entry')
    .addHelpText(
      'after',
      `
If there are more entries, stderr says at which number to go on.

A log can be proved to others:
  f3 federation audit grid --head > kept.json              a member keeps this, outside the coordinator's reach
  f3 federation audit grid --export grid.audit             later
  f3 federation audit --verify grid.audit --kept-head kept.json
A change says at which entry it is. docs/operations.md tells what cannot be detected.`,
    )
    .action(runAudit);
}

async function runAudit(named: string | undefined, options: Options): Promise<void> {
  const { verify, server } = options;
  if (server && named !== undefined) {
    throw new F3Error('F3_OPTION', `--server: must come without a federation, got ${named}`);
  }
  // A file is checked without a coordinator, so none need be known.
  if (typeof verify === 'string') return verifyAuditLog(verify, options);
  const place = server ? await serverPlace(options) : await operatorPlace(named, options);
  const { client, federation } = place;
  if (verify) return verifyAuditLog({ client, federation }, options);
  if (options.keys) return print({ keys: await client.auditKeys() });
  if (options.head) return print(await client.auditHead(federation));
  if (options.export !== undefined) return exportAuditFile(place, options.export, options);
  await listEntries(client, federation, options);
}

async function serverPlace(options: Options): Promise<{ client: CoordinatorClient; federation: null }> {
  return { client: await operatorClient(undefined, options), federation: null };
}

const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

async function listEntries(client: CoordinatorClient, federation: string | null, options: Options): Promise<void> {
  const { after: from, before, newest = false, limit } = options;
  if (before !== undefined && !newest) throw new F3Error('F3_OPTION', '--before: is for --newest only');
  const order = newest ? 'newest' : 'oldest';
  const entries = await client.audit(federation, { after: from, before, order, limit });
  const lines = options.json ? entries.map((entry) => JSON.stringify(entry)) : auditLines(entries, options.verbose);
  for (const line of lines) process.stdout.write(`${line}\n`);
  if (entries.length < limit) return;
  const last = Number(entries.at(-1)?.id);
  const rest = newest ? ({ after: from, before: last, order } as const) : { after: last };
  const [next] = await client.audit(federation, { ...rest, limit: 1 });
  const flag = newest ? '--before' : '--after';
  if (next) process.stderr.write(`there are more entries: ${flag} ${last} shows them\n`);
}

function auditLines(entries: readonly AuditEntry[], verbose = false): string[] {
  const columns: TextColumn<AuditEntry>[] = [
    { title: 'entry', cell: ({ id }) => id },
    { title: 'at (UTC)', cell: ({ at }) => shownTime(at) },
    { title: 'who', cell: ({ actor }) => actor },
    { title: 'did', cell: auditSentence },
  ];
  const whole: TextColumn<AuditEntry>[] = [
    { title: 'from', cell: ({ address }) => address },
    { title: 'key', cell: ({ keyId }) => keyId },
    { title: 'action', cell: ({ action }) => action },
    { title: 'details', cell: ({ details = {} }) => listedLine(details) },
  ];
  return tableLines(verbose ? [...columns, ...whole] : columns, entries);
}
