// `f3 federation create`: creates a federation on a running coordinator.
import { Command } from 'commander';
import { commaList } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { addOperatorOptions, type MemberOptions, operatorClient } from './member-client.ts';

interface Options extends MemberOptions {
  classes?: string[];
  json?: boolean;
}

export function createCommand(): Command {
  const command = new Command('create')
    .description('make a federation that owners can be invited to')
    .argument('<name>', 'a to z, 0 to 9 and -')
    .option('--classes <names>', 'all classes in their order, separated by commas (default: as labelled)', commaList);
  return addOperatorOptions(command)
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
Examples:
  f3 federation create grid --classes calm,storm
  f3 federation create grid --url https://coordinator.example --key data/operator-key.json    # without f3 login`,
    )
    .action(async (name: string, options: Options) => {
      const client = await operatorClient(name, options);
      const created = await client.createFederation(name, options.classes);
      const text = `federation ${name} at ${client.connection.origin}; next: f3 owner invite ${name} <owner>`;
      printResult({ name, ...created }, text, options.json);
    });
}
