// `f3 entity admit`: the operator's word that a charter may be served here.
import { Command } from 'commander';
import { printResult } from '../run-command.ts';
import { addEntityOptions, type EntityFlags } from './entity-options.ts';

export function admitCommand(): Command {
  return addEntityOptions(new Command('admit'))
    .description('serve a federation, once you have compared its charter with the other operators')
    .argument('<fingerprint>', '64 digits, as f3 entity show prints them')
    .addHelpText(
      'after',
      `
The charter says which entities there are, with which keys, and which coordinator they work for. Its fingerprint must be the same at
every entity and every owner; compare it over a channel that the coordinator's operator does not control.
The entity may be running. It serves the charter from now on, or as soon as the coordinator has shown it.`,
    )
    .action(async (text: string, { data, json }: EntityFlags) => {
      const { EntityFolder } = await import('../../shares/entity/entity-folder.ts');
      const { parseFingerprint } = await import('../../shares/charter.ts');
      const fingerprint = parseFingerprint(text);
      const folder = await EntityFolder.open(data);
      folder.admit(fingerprint);
      const isShown = folder.charters().some((one) => one.fingerprint === fingerprint && one.charter);
      const next = isShown ? 'it is served from now on' : 'it is served once the coordinator has shown it';
      printResult({ fingerprint, admitted: true }, `charter ${fingerprint} admitted; ${next}`, json);
    });
}
