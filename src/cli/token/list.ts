// `f3 token list`: lists the tokens of a federation, and when each was last used.
import { Command } from 'commander';
import type { ListedToken } from '../../exchange/messages.ts';
import { addOperatorOptions, FEDERATION_TEXT, type MemberOptions, operatorPlace } from '../federation/member-client.ts';
import { printResult } from '../run-command.ts';
import { shownTime } from '../terminal/shown-time.ts';
import { type TextColumn, tableLines } from '../terminal/table.ts';

const COLUMNS: TextColumn<ListedToken>[] = [
  { title: 'token', cell: ({ name }) => name },
  { title: 'made by', cell: ({ createdBy }) => createdBy },
  { title: 'made (UTC)', cell: ({ created }) => shownTime(created) },
  {
    title: 'good until (UTC)',
    cell: ({ expires, expired }) => (expired ? 'expired' : (shownTime(expires) ?? 'for ever')),
  },
  { title: 'last used (UTC)', cell: ({ lastUsed }) => shownTime(lastUsed) ?? 'never' },
];

export function tokenListCommand(): Command {
  const command = new Command('list')
    .description('the tokens of a federation that are not revoked, and when each was used last')
    .argument('[federation]', FEDERATION_TEXT);
  return addOperatorOptions(command)
    .option('--json', 'print one line of JSON')
    .action(async (named: string | undefined, options: MemberOptions & { json?: boolean }) => {
      const { client, federation } = await operatorPlace(named, options);
      const tokens = await client.tokens(federation);
      const none = `federation ${federation} has no token; f3 token create ${federation} --name NAME makes one`;
      printResult({ tokens }, tokens.length > 0 ? tableLines(COLUMNS, tokens).join('\n') : none, options.json);
    });
}
