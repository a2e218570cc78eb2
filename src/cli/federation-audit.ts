// `f3 federation audit`: who did what when, as the coordinator's append-only log has it.
import { Command } from 'commander';
import { listedLine } from './listed-line.ts';
import { addOperatorOptions, type MemberOptions, operatorClient } from './member-client.ts';
import { integerFrom } from './option-values.ts';

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
    .option('--limit <n>', 'at most so many', integerFrom(1, 1000), 100);
  return addOperatorOptions(command)
    .option('--json', 'print one line of JSON per entry')
    .action(async (federation: string, options: Options) => {
      const client = await operatorClient(federation, options);
      for (const entry of await client.audit(federation, options)) {
        process.stdout.write(`${options.json ? JSON.stringify(entry) : listedLine(entry)}\n`);
      }
    });
}
