// `f3 owner invite`: lets an operator make a one-time code with which somebody may join a federation.
import { Command, Option } from 'commander';
import { F3Error } from '../../errors.ts';
import { isOwnerId, OWNER_ID_RULE } from '../../exchange/bundle/owner-id.ts';
import type { Role } from '../../exchange/messages.ts';
import { addOperatorOptions, type MemberOptions, operatorClient } from '../federation/member-client.ts';
import { numberFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';

interface Options extends MemberOptions {
  role: Role;
  hours?: number;
  json?: boolean;
}

export function inviteCommand(): Command {
  const command = new Command('invite')
    .description('[operator] make a one-time code for an owner to join with')
    .argument('<federation>')
    .argument('<owner>', "the owner's id, as in its bundle")
    .addOption(
      new Option('--role <role>', 'sends a bundle; holds the labels; runs the federation')
        .choices(['owner', 'labels', 'operator'])
        .default('owner'),
    )
    .option('--hours <n>', 'until the code expires (default: the coordinator’s)', numberFrom(0.01, 24 * 365));
  return addOperatorOptions(command)
    .option('--json', 'print one line of JSON: {code, expires}')
    .addHelpText(
      'after',
      `
Give the code to the owner alone, by a way you trust: whoever uses it first is that owner.

Examples:
  f3 owner invite grid plant-7
  f3 owner invite grid control-room --role labels --hours 2`,
    )
    .action(runInvite);
}

async function runInvite(federation: string, owner: string, options: Options): Promise<void> {
  if (!isOwnerId(owner)) throw new F3Error('F3_OPTION', `owner: ${OWNER_ID_RULE}, got ${JSON.stringify(owner)}`);
  const client = await operatorClient(federation, options);
  const { role, hours, json } = options;
  const { code, expires } = await client.invite(federation, { owner, role, ...(hours !== undefined && { hours }) });
  const text = `f3 owner join ${client.connection.origin} --code ${code}\ngood once, until ${expires}`;
  printResult({ federation, owner, role, code, expires }, text, json);
}
