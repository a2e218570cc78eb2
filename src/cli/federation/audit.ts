// `f3 federation audit`: who did what when, as the coordinator's append-only log has it.
import { Command } from 'commander';
import type { AuditEntry } from '../../exchange/messages.ts';
import { integerFrom } from '../option-values.ts';
import { listedLine } from '../terminal/listed-line.ts';
import { shownTime } from '../terminal/shown-time.ts';
import { type TextColumn, tableLines } from '../terminal/table.ts';
import { addOperatorOptions, FEDERATION_TEXT, type MemberOptions, operatorPlace } from './member-client.ts';
import { shortId } from './training-id.ts';

interface Options extends MemberOptions {
  after: number;
  limit: number;
  verbose?: boolean;
  json?: boolean;
}

export function auditCommand(): Command {
  const command = new Command('audit')
    .description('who sent and did what, when')
    .argument('[federation]', FEDERATION_TEXT)
    .option('--after <id>', 'entries after this number', integerFrom(0), 0)
    .option('--limit <n>', 'at most so many, the oldest first', integerFrom(1, 1000), 100);
  return addOperatorOptions(command)
    .option('--verbose', 'show hashes, and ids as a whole')
    .option('--json', 'print one line of JSON per entry')
    .addHelpText('after', '\nIf there are more entries, stderr says after which number to go on.')
    .action(async (named: string | undefined, options: Options) => {
      const { client, federation } = await operatorPlace(named, options);
      const entries = await client.audit(federation, options);
      const lines = options.json ? entries.map((entry) => JSON.stringify(entry)) : auditLines(entries, options.verbose);
      for (const line of lines) process.stdout.write(`${line}\n`);
      if (entries.length < options.limit) return;
      const after = Number(entries.at(-1)?.id);
      const [next] = await client.audit(federation, { after, limit: 1 });
      if (next) process.stderr.write(`there are more entries: --after ${after} shows them\n`);
    });
}

function auditLines(entries: readonly AuditEntry[], verbose = false): string[] {
  const columns: TextColumn<AuditEntry>[] = [
    { title: 'entry', cell: ({ id }) => id },
    { title: 'at (UTC)', cell: ({ at }) => shownTime(at) },
    { title: 'who', cell: ({ actor }) => actor },
    { title: 'did', cell: ({ action }) => action },
    { title: 'details', cell: ({ details = {} }) => listedLine(verbose ? details : shortened(details)) },
  ];
  return tableLines(columns, entries);
}

/** Fields for machines: --verbose shows them. */
const HASHES = ['sha256', 'keyId'];
const WHOLE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Without hashes, with the beginnings of ids, and with sentences last: the database keeps no order. */
function shortened(details: object): object {
  const kept = Object.entries(details)
    .filter(([name]) => !HASHES.includes(name))
    .map(([name, value]): [string, unknown] => [name, WHOLE_ID.test(String(value)) ? shortId(String(value)) : value]);
  const isSentence = ([name]: [string, unknown]) => (name === 'reason' ? 1 : 0);
  return Object.fromEntries(kept.sort((a, b) => isSentence(a) - isSentence(b)));
}
