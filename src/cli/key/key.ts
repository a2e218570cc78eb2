// `f3 key`: a member's own key, replaced without downtime; operators of the whole coordinator.
import { Command } from 'commander';
import { keyListCommand } from './list.ts';
import { operatorsCommand } from './operators.ts';
import { keyRevokeCommand } from './revoke.ts';
import { rotateCommand } from './rotate.ts';

export function keyCommand(): Command {
  return new Command('key')
    .description('replace your key by a new one, end a former one, see who operates the coordinator')
    .addCommand(rotateCommand())
    .addCommand(keyListCommand())
    .addCommand(keyRevokeCommand())
    .addCommand(operatorsCommand());
}
