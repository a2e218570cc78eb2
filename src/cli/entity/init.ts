// `f3 entity init`: makes an entity's folder and key, and prints the address that goes into charters.
import { Command } from 'commander';
import { printResult } from '../run-command.ts';
import { addEntityOptions, type EntityFlags } from './entity-options.ts';

export function initCommand(): Command {
  return addEntityOptions(new Command('init'))
    .description('make the folder and the key of an entity, once')
    .argument('<url>', 'where others reach it: tls://host:port')
    .addHelpText(
      'after',
      `
The key is made here and never leaves the folder. Hand the printed address to whoever makes the federation; it ends with the
key's id, so that nobody else can answer in your place. With another url the address changes and the key stays.

  f3 entity init tls://entity-1.example.org:7720 --data entity`,
    )
    .action(async (url: string, { data, json }: EntityFlags) => {
      const { EntityFolder } = await import('../../shares/entity/entity-folder.ts');
      const { address, keys } = await EntityFolder.create(data, url);
      const next = `next: f3 entity serve --data ${data}`;
      printResult({ address, keyId: keys.id, data }, `entity ${address}\n${next}`, json);
    });
}
