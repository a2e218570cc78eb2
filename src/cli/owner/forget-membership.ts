// Removes a membership and its key from this machine, with the profiles that name them. What its owner has spent and agreed on stays.
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { F3Error } from '../../errors.ts';
import { KEY_FILE, listMemberships, type StoredMembership } from '../../exchange/identity/home.ts';
import { readProfiles, removeProfile } from '../../exchange/identity/profiles.ts';
import { ownerFolder } from '../../privacy/owner-folder.ts';

/** A key outside of the home folder may be the only copy, so its user has to remove it. */
export function requireForgettable(home: string, key: string): StoredMembership {
  const membership = listMemberships(home).find(({ folder }) => resolve(folder, KEY_FILE) === resolve(key));
  if (membership) return membership;
  throw new F3Error('F3_OPTION', `--forget: key must lie in the home folder ${home}, got ${key}; remove it yourself`);
}

export function forgetMembership(home: string, key: string): void {
  const membership = requireForgettable(home, key);
  const { folder } = membership;
  // An earlier version may have kept the budget in the folder that goes now.
  if (membership.role === 'owner') ownerFolder(home, membership);
  for (const [name, profile] of Object.entries(readProfiles(home).named)) {
    if (resolve(profile.key) === resolve(join(folder, KEY_FILE))) removeProfile(home, name);
  }
  rmSync(folder, { recursive: true, force: true });
}
