// `f3 federation status`: who has joined and sent what, trainings, models.
import { Command } from 'commander';
import type { FederationStatus, Listed } from '../../exchange/messages.ts';
import { printResult } from '../run-command.ts';
import { listedLine } from '../terminal/listed-line.ts';
import { addOperatorOptions, type MemberOptions, operatorClient } from './member-client.ts';

export function statusCommand(): Command {
  const command = new Command('status')
    .description('who has joined, what they sent, what was trained')
    .argument('<federation>');
  return addOperatorOptions(command)
    .option('--json', 'print one line of JSON')
    .action(async (federation: string, options: MemberOptions & { json?: boolean }) => {
      const client = await operatorClient(federation, options);
      const status = await client.status(federation);
      printResult(status, text(status), options.json);
    });
}

/** Scalars on the first line, then each list under its name, an entry per line. */
function text(status: FederationStatus): string {
  const { name, ...rest } = status;
  const lists = Object.entries(rest).filter((entry): entry is [string, Listed[]] => Array.isArray(entry[1]));
  const named = lists.filter(([, entries]) => entries.some((entry) => typeof entry === 'object'));
  const others = Object.entries(rest).filter(([key]) => !named.some(([list]) => list === key));
  const empty = lists.filter(([, entries]) => entries.length === 0).map(([key]) => key);
  const facts = Object.fromEntries(others.filter(([key]) => !empty.includes(key)));
  return [
    `federation ${name}  ${listedLine(facts)}`.trimEnd(),
    ...named.flatMap(([key, entries]) => [`${entries.length} ${key}`, ...entries.map((one) => `  ${listedLine(one)}`)]),
    ...empty.map((key) => `no ${key}`),
  ].join('\n');
}
