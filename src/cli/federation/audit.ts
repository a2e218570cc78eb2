// `f3 federation audit`: shows who did what and when, from the coordinator's append-only log.
import { Command } from 'commander';
import type { AuditEntry } from '../../exchange/messages.ts';
import { integerFrom } from '../option-values.ts';
import { listedLine } from '../terminal/listed-line.ts';
import { shownTime } from '../terminal/shown-time.ts';
import { type TextColumn, tableLines } from '../terminal/table.ts';
import { auditSentence } from './audit-sentence.ts';
import { addOperatorOptions, FEDERATION_TEXT, type MemberOptions, operatorPlace } from './member-client.ts';

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
    .option('--verbose', 'also show the action and its details as they are kept, with hashes and whole ids')
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
    { title: 'did', cell: auditSentence },
  ];
  const whole: TextColumn<AuditEntry>[] = [
    { title: 'action', cell: ({ action }) => action },
    { title: 'details', cell: ({ details = {} }) => listedLine(details) },
  ];
  return tableLines(verbose ? [...columns, ...whole] : columns, entries);
}
