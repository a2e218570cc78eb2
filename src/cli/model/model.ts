// `f3 model`: look at a model that `f3 fuse` made.
import { Command } from 'commander';
import { modelOpenCommand } from './open.ts';
import { modelShowCommand } from './show.ts';

export function modelCommand(): Command {
  return new Command('model')
    .description('look at fused models')
    .addCommand(modelShowCommand())
    .addCommand(modelOpenCommand());
}
