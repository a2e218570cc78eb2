// `f3 owner`: commands that a data owner runs on its own machine, and those with which an operator admits and revokes owners.
import { Command } from 'commander';
import { auditCommand } from './audit.ts';
import { bundlesCommand } from './bundles.ts';
import { embedCommand } from './embed.ts';
import { inviteCommand } from './invite.ts';
import { joinCommand } from './join.ts';
import { leaveCommand } from './leave.ts';
import { placeCommand } from './place.ts';
import { pushCommand } from './push.ts';
import { revokeCommand } from './revoke.ts';
import { ownerStatusCommand } from './status.ts';
import { streamCommand } from './stream.ts';
import { trainCommand } from './train.ts';

export function ownerCommand(): Command {
  return new Command('owner')
    .description("train a local model on one owner's data, freeze it, embed its samples, send them once")
    .addCommand(trainCommand())
    .addCommand(embedCommand())
    .addCommand(auditCommand())
    .addCommand(joinCommand())
    .addCommand(pushCommand())
    .addCommand(streamCommand())
    .addCommand(ownerStatusCommand())
    .addCommand(bundlesCommand())
    .addCommand(placeCommand())
    .addCommand(leaveCommand())
    .addCommand(inviteCommand())
    .addCommand(revokeCommand());
}
