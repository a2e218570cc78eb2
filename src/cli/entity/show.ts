// `f3 entity show`: the entity's address, and the charters that it serves or that were shown to it.
import { Command } from 'commander';
import { printResult } from '../run-command.ts';
import { indented } from '../terminal/table.ts';
import { DATA_DEFAULT, DATA_FLAG, DATA_TEXT } from './entity.ts';

export function showEntityCommand(): Command {
  return new Command('show')
    .description('address and key of the entity, and its charters with their fingerprints')
    .option(DATA_FLAG, DATA_TEXT, DATA_DEFAULT)
    .option('--json', 'print one line of JSON')
    .action(async ({ data, json }: { data: string; json?: boolean }) => {
      const { EntityFolder } = await import('../../shares/entity/entity-folder.ts');
      const folder = await EntityFolder.open(data);
      const charters = folder.charters();
      const lines = charters.flatMap(({ fingerprint, charter, state }) => [
        '',
        `charter ${fingerprint}, ${state}`,
        ...indented(
          charter
            ? [
                `federation ${charter.federation}, any ${charter.threshold} of ${charter.entities.length} entities learn nothing`,
                `coordinator ${charter.coordinator}`,
                ...charter.entities.map(({ url, keyId }, i) => {
                  const address = `${url}#${keyId}`;
                  return `entity ${i + 1} ${address}${address === folder.address ? ' (this one)' : ''}`;
                }),
              ]
            : ['no coordinator has shown it yet'],
        ),
      ]);
      const text = [`entity ${folder.address}`, ...lines].join('\n');
      printResult({ address: folder.address, charters }, text, json);
    });
}
