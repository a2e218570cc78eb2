// `f3 key rotate`: makes a new key, has the old one vouch for it, and puts it in its place.
import { Command } from 'commander';
import { CoordinatorClient } from '../../exchange/client/coordinator-client.ts';
import type { PlaceOptions } from '../federation/in-force.ts';
import {
  addMemberOptions,
  FEDERATION_FLAG,
  FEDERATION_OPTION_TEXT,
  memberClient,
  reportRetry,
} from '../federation/member-client.ts';
import { numberFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { shownTime } from '../terminal/shown-time.ts';

interface Options extends PlaceOptions {
  overlap: number;
  json?: boolean;
}

export function rotateCommand(): Command {
  const command = new Command('rotate')
    .description('make a new key, vouched for by the old one, and put it in its place')
    .option(
      '--overlap <hours>',
      'the old key is accepted for so long, on machines that still have it',
      numberFrom(0, 168),
      24,
    )
    .option(FEDERATION_FLAG, FEDERATION_OPTION_TEXT);
  return addMemberOptions(command)
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
The private half is made here and never leaves this machine. If it is interrupted, call it again: it goes on. If the old key
may be in other hands, use --overlap 0, and look at f3 federation audit. A key that is lost cannot vouch for another: an operator
revokes the member and invites it anew (f3 owner revoke, f3 owner invite).

Examples:
  f3 key rotate
  f3 key rotate --key coordinator/operator-key.json --url http://127.0.0.1:7700 --overlap 0`,
    )
    .action(runRotate);
}

async function runRotate({ overlap, json, ...options }: Options): Promise<void> {
  const { client, key, home, connection } = await memberClient(options);
  const { rotateKeyFile } = await import('../../exchange/client/rotate-key.ts');
  const rotated = await rotateKeyFile({
    file: key,
    home,
    overlapHours: overlap,
    connect: (keys) => new CoordinatorClient({ ...connection, keys, onRetry: reportRetry }),
  });
  const until = rotated.ends === null ? '' : `; the old one is accepted until ${shownTime(rotated.ends)} UTC`;
  printResult(rotated, `key ${rotated.keyId} is in force at ${client.connection.origin}${until}`, json);
}
