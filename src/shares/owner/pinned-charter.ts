// [owner] The charter that an owner has agreed to: compared once with a fingerprint from elsewhere, pinned from then on.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWholeFile } from '../../base/whole-file.ts';
import { F3Error } from '../../errors.ts';
import { type Charter, charterFingerprint, parseFingerprint, readCharter } from '../charter.ts';

const FILE = 'charter.json';

/** Undefined where none was agreed to yet. `folder` is that of the membership. */
export function pinnedFingerprint(folder: string): string | undefined {
  const file = join(folder, FILE);
  if (!existsSync(file)) return undefined;
  return (JSON.parse(readFileSync(file, 'utf8')) as { fingerprint: string }).fingerprint;
}

/**
 * The charter that the coordinator shows, if it is the one that was agreed to. `given` is what the owner was told by somebody else, such as
 * the operator of an entity; it is needed the first time.
 */
export function agreedCharter(folder: string, shown: unknown, given: string | undefined): Charter {
  const charter = readCharter(shown);
  const fingerprint = charterFingerprint(charter);
  const pinned = pinnedFingerprint(folder);
  const wanted = given === undefined ? pinned : parseFingerprint(given);
  if (wanted === undefined) {
    const rule = 'its fingerprint must be stated the first time, as the operator of an entity tells it';
    throw new F3Error('F3_SHARES_CHARTER', `charter of ${charter.federation}: ${rule}, got none`, {
      remedy: 'charter',
    });
  }
  if (pinned !== undefined && pinned !== wanted) {
    const rule = `must be ${pinned}, which was agreed to before`;
    throw new F3Error('F3_SHARES_CHARTER', `charter of ${charter.federation}: ${rule}, got ${wanted}`);
  }
  if (fingerprint !== wanted) {
    const rule = `must have the fingerprint ${wanted}`;
    throw new F3Error('F3_SHARES_CHARTER', `charter of ${charter.federation}: ${rule}, got ${fingerprint}`);
  }
  if (pinned === undefined) {
    writeWholeFile(join(folder, FILE), `${JSON.stringify({ fingerprint, charter }, null, 2)}\n`);
  }
  return charter;
}
