// [owner] Replaces our key by a new one: made here, vouched for by the old one, tried out, and only then put in its place.
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { writeWholeFile } from '../../base/whole-file.ts';
import { errorCode } from '../../errors.ts';
import { MEMBERSHIP_FILE } from '../identity/home.ts';
import { createKeyPair, type KeyPair, loadKeyPair, saveKeyPair } from '../identity/key-pair.ts';
import { proveKey } from '../identity/key-proof.ts';
import { refreshProfiles } from '../identity/profiles.ts';
import type { CoordinatorClient } from './coordinator-client.ts';

/** Whose key is replaced, and how to reach the coordinator with another one. */
export interface KeyRotationOptions {
  /** The key file. The new key takes its place. */
  file: string;
  /** The home folder, whose profiles name the key. */
  home: string;
  /** How long the old key is accepted beside the new one, for other machines that have it. */
  overlapHours: number;
  /** A client that signs with this key. */
  connect: (keys: KeyPair) => CoordinatorClient;
}

/** What became of the keys. */
export interface RotatedKey {
  /** Id of the key that is in force. */
  keyId: string;
  /** Id of the key that was. */
  former: string;
  /** Until when that one is accepted (ISO 8601); null if it is not known. */
  ends: string | null;
}

/**
 * May be called again after it was interrupted: the new key lies beside the old one from before the coordinator hears of it
 * until it is in place.
 */
export async function rotateKeyFile({ file, home, overlapHours, connect }: KeyRotationOptions): Promise<RotatedKey> {
  const waiting = `${resolve(file)}.next`;
  const old = await loadKeyPair(file);
  if (!existsSync(waiting)) saveKeyPair(waiting, await createKeyPair());
  const next = await loadKeyPair(waiting);
  const offered = { publicKey: next.publicKey, proof: proveKey(next, old.id), overlapHours };
  const ends = await connect(old)
    .rotateKey(offered)
    .then((answer) => answer.ends)
    .catch(async (error: unknown) => {
      // The request before may have counted although its answer was lost, and the old key may have ended with it.
      const mayCount = errorCode(error) === 'F3_AUTH_REVOKED' || errorCode(error) === 'F3_CLIENT_UNREACHABLE';
      if (mayCount && (await isAccepted(connect(next)))) return null;
      throw error;
    });
  const member = await connect(next).me();
  renameSync(waiting, file);
  const membership = join(dirname(resolve(file)), MEMBERSHIP_FILE);
  if (existsSync(membership)) {
    const known = JSON.parse(readFileSync(membership, 'utf8'));
    writeWholeFile(membership, `${JSON.stringify({ ...known, keyId: member.keyId }, null, 2)}\n`);
  }
  refreshProfiles(home, resolve(file), member.keyId);
  return { keyId: next.id, former: old.id, ends };
}

const isAccepted = (client: CoordinatorClient): Promise<boolean> =>
  client.me().then(
    () => true,
    () => false,
  );
