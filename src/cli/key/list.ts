// `f3 key list`: the key that signs, and former ones with the time until which each is accepted.
import { Command } from 'commander';
import type { PlaceOptions } from '../federation/in-force.ts';
import {
  addMemberOptions,
  FEDERATION_FLAG,
  FEDERATION_OPTION_TEXT,
  memberClient,
} from '../federation/member-client.ts';
import { printResult } from '../run-command.ts';
import { shownTime } from '../terminal/shown-time.ts';
import { tableLines } from '../terminal/table.ts';

export function keyListCommand(): Command {
  const command = new Command('list')
    .description('the key that signs here, and former ones')
    .option(FEDERATION_FLAG, FEDERATION_OPTION_TEXT);
  return addMemberOptions(command)
    .option('--json', 'print one line of JSON')
    .action(async ({ json, ...options }: PlaceOptions & { json?: boolean }) => {
      const { client, membership } = await memberClient(options);
      const keys = await client.keys();
      const now = new Date().toISOString();
      const lines = tableLines(
        [
          { title: 'former key', cell: ({ keyId }) => keyId },
          { title: 'replaced (UTC)', cell: ({ replaced }) => shownTime(replaced) },
          { title: 'accepted until (UTC)', cell: ({ ends }) => (ends <= now ? 'ended' : shownTime(ends)) },
        ],
        keys.former,
      );
      const text = [`${membership.owner} signs with key ${keys.signedBy}`, ...(keys.former.length > 0 ? lines : [])];
      printResult({ ...keys }, text.join('\n'), json);
    });
}
