// `f3 token`: static tokens for programs that only predict, made and taken back by operators.
import { Command } from 'commander';
import { tokenCreateCommand } from './create.ts';
import { tokenListCommand } from './list.ts';
import { tokenRevokeCommand } from './revoke.ts';

export function tokenCommand(): Command {
  return new Command('token')
    .description('[operator] static tokens for programs that only predict, over the Open Inference Protocol')
    .addCommand(tokenCreateCommand())
    .addCommand(tokenListCommand())
    .addCommand(tokenRevokeCommand());
}
