// `f3 profiles`: lists the profiles and memberships of the home folder, and says which of them is in force.
import { join } from 'node:path';
import { Command } from 'commander';
import type { Enrolment } from '../../exchange/messages.ts';
import { inForceText, roleText } from '../federation/in-force.ts';
import { HOME_FLAG, HOME_TEXT } from '../federation/member-client.ts';
import { printResult } from '../run-command.ts';
import { type TextColumn, tableLines } from '../terminal/table.ts';

interface Options {
  use?: string;
  home?: string;
  json?: boolean;
}

interface Entry {
  /** Undefined for a membership that no profile names. */
  name: string | undefined;
  isCurrent: boolean;
  url: string;
  federation: string | null;
  member: Enrolment;
  key: string;
}

const COLUMNS: TextColumn<Entry>[] = [
  { title: 'profile', cell: ({ name, isCurrent }) => name && `${name}${isCurrent ? ' *' : ''}` },
  { title: 'coordinator', cell: ({ url }) => url },
  { title: 'federation', cell: ({ federation }) => federation ?? 'all' },
  { title: 'as', cell: ({ member }) => member.owner },
  { title: 'role', cell: ({ member }) => roleText(member) },
  { title: 'key', cell: ({ key }) => key },
];

export function profilesCommand(): Command {
  return new Command('profiles')
    .description('list the profiles and memberships of this machine, or choose the one in force')
    .option('--use <name>', 'this profile counts from now on')
    .option(HOME_FLAG, HOME_TEXT)
    .option('--json', 'print one line of JSON')
    .action(runProfiles);
}

async function runProfiles({ use, home: given, json }: Options): Promise<void> {
  const { homeFolder, KEY_FILE, listMemberships } = await import('../../exchange/identity/home.ts');
  const { readProfiles, useProfile } = await import('../../exchange/identity/profiles.ts');
  const home = homeFolder(given);
  if (use !== undefined) useProfile(home, use);
  const { current, named } = readProfiles(home);
  const profiles = Object.entries(named).map(([name, { url, federation, member, key }]): Entry => {
    return { name, isCurrent: name === current, url, federation: federation ?? member.federation, member, key };
  });
  const memberships = listMemberships(home)
    .map(({ folder, url, federation, owner, role, keyId }): Entry => {
      const member = { federation, owner, role, keyId };
      return { name: undefined, isCurrent: false, url, federation, member, key: join(folder, KEY_FILE) };
    })
    .filter(({ key }) => profiles.every((profile) => profile.key !== key));
  const entries = [...profiles, ...memberships];
  const force = `in force: ${inForceText({ home })}`;
  const text = entries.length > 0 ? [...tableLines(COLUMNS, entries), '', force].join('\n') : force;
  const listed = profiles.map(({ name, isCurrent, ...rest }) => ({ profile: name, current: isCurrent, ...rest }));
  printResult(
    { profiles: listed, memberships: memberships.map(({ name: _, isCurrent: __, ...rest }) => rest) },
    text,
    json,
  );
}
