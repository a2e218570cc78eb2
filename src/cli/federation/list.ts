// `f3 federation list`: all federations of a coordinator. For the operator of the whole server.
import { Command } from 'commander';
import { printResult } from '../run-command.ts';
import { listedLine } from '../terminal/listed-line.ts';
import { addOperatorOptions, type MemberOptions, operatorClient } from './member-client.ts';

export function listCommand(): Command {
  const command = new Command('list').description('all federations of the coordinator, with their active models');
  return addOperatorOptions(command)
    .option('--json', 'print one line of JSON')
    .action(async (options: MemberOptions & { json?: boolean }) => {
      const client = await operatorClient(undefined, options);
      const federations = await client.federations();
      const none = `no federation yet at ${client.connection.origin}; next: f3 federation create <name>`;
      const lines = federations.length > 0 ? federations.map(listedLine) : [none];
      printResult({ federations }, lines.join('\n'), options.json);
    });
}
