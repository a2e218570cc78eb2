// `f3 federation list`: lists all federations of a coordinator, for the operator of the whole server.
import { Command } from 'commander';
import type { ListedFederation } from '../../exchange/messages.ts';
import { printResult } from '../run-command.ts';
import { shownTime } from '../terminal/shown-time.ts';
import { type TextColumn, tableLines } from '../terminal/table.ts';
import { addOperatorOptions, type MemberOptions, operatorClient } from './member-client.ts';

const COLUMNS: TextColumn<ListedFederation>[] = [
  { title: 'federation', cell: ({ name }) => name },
  { title: 'active model', cell: ({ activeModel }) => activeModel },
  { title: 'classes', cell: ({ classes }) => classes?.join(', ') ?? 'as labelled' },
  { title: 'made (UTC)', cell: ({ created }) => shownTime(created) },
];

export function listCommand(): Command {
  const command = new Command('list').description('all federations of the coordinator, with their active models');
  return addOperatorOptions(command)
    .option('--json', 'print one line of JSON')
    .action(async (options: MemberOptions & { json?: boolean }) => {
      const client = await operatorClient(undefined, options);
      const federations = await client.federations();
      const none = `no federation yet at ${client.connection.origin}; next: f3 federation create <name>`;
      const text = federations.length > 0 ? tableLines(COLUMNS, federations).join('\n') : none;
      printResult({ federations }, text, options.json);
    });
}
