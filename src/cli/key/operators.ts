// `f3 key operators`: who operates the whole coordinator; revokes one of them.
import { Command } from 'commander';
import { addOperatorOptions, type MemberOptions, operatorClient } from '../federation/member-client.ts';
import { printResult } from '../run-command.ts';
import { shownTime } from '../terminal/shown-time.ts';
import { tableLines } from '../terminal/table.ts';

interface Options extends MemberOptions {
  revoke?: string;
  json?: boolean;
}

export function operatorsCommand(): Command {
  const command = new Command('operators')
    .description('who operates the whole coordinator; revokes one of them')
    .option('--revoke <name>', "refuse this operator's keys from now on; not the last one's");
  return addOperatorOptions(command)
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
If the first operator's key is lost or stolen: move operator-key.json away on the coordinator's machine, restart it, which
makes another operator, and revoke the old one here.`,
    )
    .action(async ({ revoke, json, ...options }: Options) => {
      const client = await operatorClient(undefined, options);
      if (revoke !== undefined) {
        const revoked = await client.revokeOperator(revoke);
        return printResult({ ...revoked }, `operator ${revoke} is revoked`, json);
      }
      const operators = await client.operators();
      const lines = tableLines(
        [
          { title: 'operator', cell: ({ owner }) => owner },
          { title: 'since (UTC)', cell: ({ joined }) => shownTime(joined) },
          { title: 'key', cell: ({ keyId }) => keyId },
          { title: 'revoked (UTC)', cell: ({ revoked }) => shownTime(revoked ?? undefined) },
        ],
        operators,
      );
      printResult({ operators }, lines.join('\n'), json);
    });
}
