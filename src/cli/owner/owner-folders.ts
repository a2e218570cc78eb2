// Finds the folders of the owners that a command was given: DIR/owners/<id>.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { F3Error } from '../../errors.ts';

export interface OwnerChoice {
  owner?: string[];
  all?: boolean;
}

export function ownerFolders(dir: string, { owner, all }: OwnerChoice): string[] {
  const owners = join(dir, 'owners');
  if (!existsSync(owners)) throw new F3Error('F3_DATA_UNREADABLE', `${dir}: must hold a folder owners, got none`);
  const known = readdirSync(owners, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  if (all && owner) throw new F3Error('F3_OPTION', '--owner and --all: must not both be given');
  if (all) return known.map((id) => join(owners, id));
  if (!owner) throw new F3Error('F3_OPTION', 'owner: name one with --owner, or take --all');
  for (const id of owner) {
    if (!known.includes(id)) {
      const some = known.slice(0, 5).join(', ');
      throw new F3Error('F3_DATA_OWNER', `${dir}: owner must be one of its ${known.length} (${some}, …), got ${id}`);
    }
  }
  return owner.map((id) => join(owners, id));
}
