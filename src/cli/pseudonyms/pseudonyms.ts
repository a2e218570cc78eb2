// `f3 pseudonyms`: the key holder, who lets owners replace sample ids by pseudonyms and sees neither.
import { Command } from 'commander';
import { inviteMemberCommand } from './invite.ts';
import { membersCommand } from './members.ts';
import { serveKeyHolderCommand } from './serve.ts';
import { translateCommand } from './translate.ts';

export function pseudonymsCommand(): Command {
  return new Command('pseudonyms')
    .description('[key holder] sample ids under pseudonyms: names and times are information, too')
    .addCommand(serveKeyHolderCommand())
    .addCommand(inviteMemberCommand())
    .addCommand(membersCommand())
    .addCommand(translateCommand());
}
