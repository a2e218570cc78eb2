// `f3 pseudonyms invite`: a code with which one member may ask the key holder.
import { Command } from 'commander';
import { printResult } from '../run-command.ts';
import { shownTime } from '../terminal/shown-time.ts';
import { DATA_DEFAULT, DATA_FLAG, DATA_TEXT } from './serve.ts';

export function inviteMemberCommand(): Command {
  return new Command('invite')
    .description('make a one-time code for an owner or the label holder; the key holder may be serving meanwhile')
    .argument('<member>', 'a name for the list of members')
    .option(DATA_FLAG, DATA_TEXT, DATA_DEFAULT)
    .option('--json', 'print one line of JSON')
    .action(async (member: string, { data, json }: { data: string; json?: boolean }) => {
      const { KeyHolderFiles } = await import('../../privacy/key-holder/key-holder-files.ts');
      const { code, expires } = KeyHolderFiles.open(data).invite(member);
      const text = `code for ${member}, good until ${shownTime(expires)} UTC:\n${code}`;
      printResult({ member, code, expires }, text, json);
    });
}
