// [wire] The client of somebody who has joined or logged in: address, key and certificates come from the home folder.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unreadable } from '../../base/read-file.ts';
import { KEY_FILE, type StoredMembership } from '../identity/home.ts';
import { loadKeyPair } from '../identity/key-pair.ts';
import type { Profile } from '../identity/profiles.ts';
import type { ConnectionOptions } from './connection.ts';
import { CoordinatorClient } from './coordinator-client.ts';
import type { TlsOptions } from './tls-fetch.ts';

/** `membership` is what `joinFederation` gave or `chooseMembership` found. `options` overrule what it remembers. */
export function openMembership(
  membership: StoredMembership,
  options: Omit<ConnectionOptions, 'url' | 'keys'> = {},
): Promise<CoordinatorClient> {
  const { folder, url, tls } = membership;
  return openProfile({ url, key: join(folder, KEY_FILE), ...(tls && { tls }) }, options);
}

/** The profile is what `f3 login` kept, as `requireProfile` finds it. */
export async function openProfile(
  { url, key, tls }: Pick<Profile, 'url' | 'key' | 'tls'>,
  options: Omit<ConnectionOptions, 'url' | 'keys'> = {},
): Promise<CoordinatorClient> {
  const keys = await loadKeyPair(key);
  return new CoordinatorClient({ url, keys, ...(tls && { tls: readCertificates(tls) }), ...options });
}

function readCertificates(files: NonNullable<StoredMembership['tls']>): TlsOptions {
  return Object.fromEntries(
    Object.entries(files).map(([name, file]) => {
      try {
        return [name, readFileSync(file, 'utf8')];
      } catch (cause) {
        throw unreadable(`certificate ${file}`, cause, 'must be readable, as when it was named', 'F3_HOME');
      }
    }),
  );
}
