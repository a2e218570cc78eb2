// `f3 owner`: what a data owner runs on its own machine, and how an operator lets owners in and out.
import { Command } from 'commander';
import { embedCommand } from './owner-embed.ts';
import { inviteCommand } from './owner-invite.ts';
import { joinCommand } from './owner-join.ts';
import { pushCommand } from './owner-push.ts';
import { revokeCommand } from './owner-revoke.ts';
import { streamCommand } from './owner-stream.ts';
import { trainCommand } from './owner-train.ts';

export function ownerCommand(): Command {
  return new Command('owner')
    .description("train a local model on one owner's data, freeze it, embed its samples, send them once")
    .addCommand(trainCommand())
    .addCommand(embedCommand())
    .addCommand(joinCommand())
    .addCommand(pushCommand())
    .addCommand(streamCommand())
    .addCommand(inviteCommand())
    .addCommand(revokeCommand());
}
