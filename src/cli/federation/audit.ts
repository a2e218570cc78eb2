// `f3 federation audit`: who did what when, as the coordinator's append-only log has it.
import { Command } from 'commander';
import { integerFrom } from '../option-values.ts';
import { listedLine } from '../terminal/listed-line.ts';
import { addOperatorOptions, type MemberOptions, operatorClient } from './member-client.ts';

interface Options extends MemberOptions {
  after: number;
  limit: number;
  json?: boolean;
}

export function auditCommand(): Command {
  const command = new Command('audit')
    .description('who sent and did what, when')
    .argument('<federation>')
    .option('--after <id>', 'entries after this number', integerFrom(0), 0)
    .option('--limit <n>', 'at most so many, the oldest first', integerFrom(1, 1000), 100);
  return addOperatorOptions(command)
    .option('--json', 'print one line of JSON per entry')
    .addHelpText('after', '\nIf there are more entries, stderr says after which number to go on.')
    .action(async (federation: string, options: Options) => {
      const client = await operatorClient(federation, options);
      const entries = await client.audit(federation, options);
      for (const entry of entries) {
        process.stdout.write(`${options.json ? JSON.stringify(entry) : listedLine(entry)}\n`);
      }
      if (entries.length < options.limit) return;
      const after = Number(entries.at(-1)?.id);
      const [next] = await client.audit(federation, { after, limit: 1 });
      if (next) process.stderr.write(`there are more entries: --after ${after} shows them\n`);
    });
}
