// `f3 token revoke`: revokes a token, which the coordinator refuses from then on.
import { Command } from 'commander';
import { F3Error } from '../../errors.ts';
import { addOperatorOptions, type MemberOptions, operatorClient } from '../federation/member-client.ts';
import { printResult } from '../run-command.ts';

export function tokenRevokeCommand(): Command {
  const command = new Command('revoke')
    .description('refuse a token from now on')
    .argument('<federation>')
    .argument('<name>', 'as in f3 token list');
  return addOperatorOptions(command)
    .option('--json', 'print one line of JSON')
    .addHelpText('after', '\nExample:\n  f3 token revoke grid dashboard')
    .action(async (federation: string, name: string, options: MemberOptions & { json?: boolean }) => {
      const client = await operatorClient(federation, options);
      const found = (await client.tokens(federation)).find((token) => token.name === name || token.id === name);
      if (!found) {
        const rule = `must be one of federation ${federation}`;
        throw new F3Error('F3_TOKEN_UNKNOWN', `inference token ${name}: ${rule}, got an unknown one`);
      }
      await client.revokeToken(federation, found.id);
      const text = `token ${found.name} of federation ${federation} is revoked`;
      printResult({ federation, id: found.id, name: found.name, revoked: true }, text, options.json);
    });
}
