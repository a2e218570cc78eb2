// `f3 federation activate`, also `promote`: chooses the version of the model that answers, be it a new or an earlier one.
import { Command } from 'commander';
import { integerFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { addOperatorOptions, type MemberOptions, operatorClient } from './member-client.ts';

export function activateCommand(): Command {
  const command = new Command('activate')
    .alias('promote')
    .description('let this version of the model answer from now on: a candidate, or a former one')
    .argument('<federation>')
    .argument('<version>', 'as in f3 federation models', integerFrom(1));
  return addOperatorOptions(command)
    .option('--json', 'print one line of JSON')
    .action(async (federation: string, version: number, options: MemberOptions & { json?: boolean }) => {
      const client = await operatorClient(federation, options);
      const answer = await client.activate(federation, version);
      const text = `model ${version} answers for federation ${federation}`;
      printResult({ federation, version, ...answer }, text, options.json);
    });
}
