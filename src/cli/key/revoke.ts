// `f3 key revoke`: ends a former key of ours before its time.
import { Command } from 'commander';
import type { PlaceOptions } from '../federation/in-force.ts';
import {
  addMemberOptions,
  FEDERATION_FLAG,
  FEDERATION_OPTION_TEXT,
  memberClient,
} from '../federation/member-client.ts';
import { printResult } from '../run-command.ts';

export function keyRevokeCommand(): Command {
  const command = new Command('revoke')
    .description('refuse a former key of yours from now on')
    .argument('<key>', 'its id, as f3 key list shows it')
    .option(FEDERATION_FLAG, FEDERATION_OPTION_TEXT);
  return addMemberOptions(command)
    .option('--json', 'print one line of JSON')
    .action(async (key: string, { json, ...options }: PlaceOptions & { json?: boolean }) => {
      const { client } = await memberClient(options);
      const ended = await client.revokeKey(key);
      printResult({ ...ended }, `key ${key} is refused from now on`, json);
    });
}
