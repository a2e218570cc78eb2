// `f3 owner revoke`: lets an operator revoke an owner, whose key the coordinator refuses from then on.
import { Command } from 'commander';
import { addOperatorOptions, type MemberOptions, operatorClient } from '../federation/member-client.ts';
import { printResult } from '../run-command.ts';

export function revokeCommand(): Command {
  const command = new Command('revoke')
    .description("[operator] refuse an owner's key from now on")
    .argument('<federation>')
    .argument('<owner>');
  return addOperatorOptions(command)
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
What the owner sent stays. To let it in again, invite it anew.

Example:
  f3 owner revoke grid plant-7`,
    )
    .action(async (federation: string, owner: string, options: MemberOptions & { json?: boolean }) => {
      const client = await operatorClient(federation, options);
      await client.revoke(federation, owner);
      printResult(
        { federation, owner, revoked: true },
        `${owner} is revoked in federation ${federation}`,
        options.json,
      );
    });
}
