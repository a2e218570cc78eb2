// `f3 entity show`: the entity's address, and the charters that it serves or that were shown to it.
import { Command } from 'commander';
import { printResult } from '../run-command.ts';
import { indented } from '../terminal/table.ts';
import { addEntityOptions, type EntityFlags } from './entity-options.ts';

export function showEntityCommand(): Command {
  return addEntityOptions(new Command('show'))
    .description('address and key of the entity, and its charters with their fingerprints')
    .action(async ({ data, json }: EntityFlags) => {
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
