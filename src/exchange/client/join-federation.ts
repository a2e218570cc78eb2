// [owner] Becomes a member: makes a key here, sends its public half with the code, keeps what comes back.

import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../base/sha256.ts';
import { writeWholeFile } from '../../base/whole-file.ts';
import { errorCode, F3Error } from '../../errors.ts';
import { isOwnerId } from '../bundle/owner-id.ts';
import {
  isMembership,
  KEY_FILE,
  MEMBERSHIP_FILE,
  type Membership,
  makeHomeFolder,
  membershipFolder,
  type StoredMembership,
} from '../identity/home.ts';
import { createKeyPair, type KeyPair, loadKeyPair, saveKeyPair } from '../identity/key-pair.ts';
import type { ConnectionOptions } from './connection.ts';
import { CoordinatorClient } from './coordinator-client.ts';

/** With which code to join, where, and where to keep the key. */
export interface JoinFederationOptions extends Omit<ConnectionOptions, 'keys'> {
  /** The home folder, see `homeFolder`. */
  home: string;
  /** The one-time code of the invitation. */
  code: string;
  /** Files that are remembered with the membership. */
  tlsFiles?: Membership['tls'];
}

/**
 * The key is on disk before the coordinator hears of it, under a name made of the code: whoever joins again with the same
 * code after a lost answer or a crash offers the same key.
 */
export async function joinFederation({
  home,
  code,
  tlsFiles,
  ...connection
}: JoinFederationOptions): Promise<StoredMembership> {
  const client = new CoordinatorClient(connection);
  const { origin } = client.connection;
  const pending = pendingFolder(home, origin, code);
  const keys = await pendingKeys(pending);
  const enrolled = await client.enrol(code, keys).catch((error: unknown) => {
    const mayCount = errorCode(error) === 'F3_CLIENT_UNREACHABLE' || errorCode(error) === 'F3_CLIENT_RESPONSE';
    if (!mayCount) rmSync(pending, { recursive: true, force: true });
    throw error;
  });
  const { federation, owner, role, keyId } = enrolled;
  const membership: Membership = { url: origin, federation, owner, role, keyId, ...(tlsFiles && { tls: tlsFiles }) };
  if (!isMembership(membership) || !isOwnerId(owner) || keyId !== keys.id) {
    throw new F3Error(
      'F3_CLIENT_RESPONSE',
      `coordinator ${origin}: must enrol the key it was sent, got another answer`,
    );
  }
  writeWholeFile(join(pending, MEMBERSHIP_FILE), `${JSON.stringify(membership, null, 2)}\n`);
  return { ...membership, folder: settle(pending, membershipFolder(home, federation, origin)) };
}

function pendingFolder(home: string, origin: string, code: string): string {
  const name = sha256(`${origin}\n${code}`).slice(0, 16);
  const folder = join(home, `.joining-${name}`);
  makeHomeFolder(home, folder);
  return folder;
}

async function pendingKeys(folder: string): Promise<KeyPair> {
  const file = join(folder, KEY_FILE);
  if (existsSync(file)) return loadKeyPair(file);
  const keys = await createKeyPair();
  saveKeyPair(file, keys);
  return keys;
}

/** Never replaces another membership, whose key may be its only copy. */
function settle(pending: string, target: string): string {
  try {
    renameSync(pending, target);
    return target;
  } catch (cause) {
    const rule = `must not exist, got another membership; move it away and rename ${pending}, which holds the new one`;
    throw new F3Error('F3_HOME', `membership ${target}: ${rule}`, { cause });
  }
}
