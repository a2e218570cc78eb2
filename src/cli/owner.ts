// `f3 owner`: what a data owner runs on its own machine.
import { Command } from 'commander';
import { embedCommand } from './owner-embed.ts';
import { trainCommand } from './owner-train.ts';

export function ownerCommand(): Command {
  return new Command('owner')
    .description("train a local model on one owner's data, freeze it, embed its samples")
    .addCommand(trainCommand())
    .addCommand(embedCommand());
}
