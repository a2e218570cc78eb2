// `f3 federation`: what the operator of a coordinator does with its federations.
import { Command } from 'commander';
import { activateCommand } from './activate.ts';
import { auditCommand } from './audit.ts';
import { compareCommand } from './compare.ts';
import { createCommand } from './create.ts';
import { graphCommand } from './graph.ts';
import { invitationsCommand } from './invitations.ts';
import { labelsCommand } from './labels.ts';
import { listCommand } from './list.ts';
import { modelsCommand } from './models.ts';
import { federationPredictCommand } from './predict.ts';
import { quotasCommand } from './quotas.ts';
import { showCommand } from './show.ts';
import { statusCommand } from './status.ts';
import { trainCommand } from './train.ts';

export function federationCommand(): Command {
  return new Command('federation')
    .description('make federations on a running coordinator, train them, choose their models')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(statusCommand())
    .addCommand(showCommand())
    .addCommand(invitationsCommand())
    .addCommand(trainCommand())
    .addCommand(modelsCommand())
    .addCommand(compareCommand())
    .addCommand(graphCommand())
    .addCommand(activateCommand())
    .addCommand(federationPredictCommand())
    .addCommand(labelsCommand())
    .addCommand(quotasCommand())
    .addCommand(auditCommand());
}
