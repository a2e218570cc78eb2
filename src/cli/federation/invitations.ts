// `f3 federation invitations`: lists codes that nobody has used yet, or cancels one.
import { Command } from 'commander';
import { F3Error } from '../../errors.ts';
import type { OpenInvitation } from '../../exchange/messages.ts';
import { printResult } from '../run-command.ts';
import { shownTime } from '../terminal/shown-time.ts';
import { type TextColumn, tableLines } from '../terminal/table.ts';
import { roleText } from './in-force.ts';
import { addOperatorOptions, FEDERATION_TEXT, type MemberOptions, operatorPlace } from './member-client.ts';
import { shortId } from './training-id.ts';

interface Options extends MemberOptions {
  cancel?: string;
  json?: boolean;
}

export const invitationColumns: TextColumn<OpenInvitation>[] = [
  { title: 'invitation', cell: ({ id }) => shortId(id) },
  { title: 'for', cell: ({ owner }) => owner },
  { title: 'role', cell: roleText },
  { title: 'invited (UTC)', cell: ({ created }) => shownTime(created) },
  { title: 'good until (UTC)', cell: ({ expires, expired }) => (expired ? 'expired' : shownTime(expires)) },
];

export function invitationsCommand(): Command {
  const command = new Command('invitations')
    .description('codes that nobody has used yet; cancels one')
    .argument('[federation]', FEDERATION_TEXT)
    .option('--cancel <id>', 'let nobody in with this one any more (its id, or how it begins)');
  return addOperatorOptions(command)
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
The codes themselves are kept nowhere. f3 owner invite makes one; f3 owner revoke cancels all of that owner.

Examples:
  f3 federation invitations grid
  f3 federation invitations grid --cancel 3f0ab1c2`,
    )
    .action(runInvitations);
}

async function runInvitations(named: string | undefined, { cancel, json, ...options }: Options): Promise<void> {
  const { client, federation } = await operatorPlace(named, options);
  const invitations = await client.invitations(federation);
  if (cancel === undefined) {
    const none = `nobody is invited to federation ${federation} who has not joined`;
    const text = invitations.length > 0 ? tableLines(invitationColumns, invitations).join('\n') : none;
    return printResult({ invitations }, text, json);
  }
  const found = invitations.filter(({ id }) => cancel !== '' && id.startsWith(cancel.toLowerCase()));
  if (found.length !== 1) {
    const got = found.length === 0 ? 'none' : `${found.length} of them`;
    const rule = `one open invitation to ${federation} must begin with "${cancel}"`;
    throw new F3Error('F3_OPTION', `--cancel: ${rule}, got ${got}`);
  }
  const [{ id, owner, role }] = found;
  await client.cancelInvitation(federation, id);
  const text = `the invitation of ${owner} (${roleText({ role })}) to federation ${federation} is cancelled`;
  printResult({ federation, id, owner, role, cancelled: true }, text, json);
}
