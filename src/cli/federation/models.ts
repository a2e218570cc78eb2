// `f3 federation models`: the versions that were trained, or the card of one.
import { Command } from 'commander';
import { integerFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { listedLine } from '../terminal/listed-line.ts';
import { addOperatorOptions, type MemberOptions, operatorClient } from './member-client.ts';

export function modelsCommand(): Command {
  const command = new Command('models')
    .description('list the trained models, or show the card of one')
    .argument('<federation>')
    .argument('[version]', 'whose card to show', integerFrom(1));
  return addOperatorOptions(command)
    .option('--json', 'print one line of JSON')
    .action(async (federation: string, version: number | undefined, options: MemberOptions & { json?: boolean }) => {
      const client = await operatorClient(federation, options);
      if (version !== undefined) {
        const card = await client.model(federation, version);
        return printResult(card, JSON.stringify(card, null, 2), options.json);
      }
      const models = await client.models(federation);
      const lines = models.length > 0 ? models.map(listedLine) : [`federation ${federation} has no model yet`];
      printResult({ models }, lines.join('\n'), options.json);
    });
}
