// `f3 entity`: a central entity, which holds one share of every number and computes on shares.
import { Command } from 'commander';
import { admitCommand } from './admit.ts';
import { initCommand } from './init.ts';
import { serveEntityCommand } from './serve.ts';
import { showEntityCommand } from './show.ts';

export function entityCommand(): Command {
  return new Command('entity')
    .description('[entity] hold one share of every embedding, and compute on shares: no entity can read any')
    .addCommand(initCommand())
    .addCommand(admitCommand())
    .addCommand(serveEntityCommand())
    .addCommand(showEntityCommand());
}
