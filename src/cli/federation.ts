// `f3 federation`: what the operator of a coordinator does with its federations.
import { Command } from 'commander';
import { activateCommand } from './federation-activate.ts';
import { auditCommand } from './federation-audit.ts';
import { createCommand } from './federation-create.ts';
import { listCommand } from './federation-list.ts';
import { modelsCommand } from './federation-models.ts';
import { statusCommand } from './federation-status.ts';
import { trainCommand } from './federation-train.ts';

export function federationCommand(): Command {
  return new Command('federation')
    .description('make federations on a running coordinator, train them, choose their models')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(statusCommand())
    .addCommand(trainCommand())
    .addCommand(modelsCommand())
    .addCommand(activateCommand())
    .addCommand(auditCommand());
}
