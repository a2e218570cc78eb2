// What `f3 owner stream --share` sends with: lines to the entities of the charter that the owner has agreed to.
import { errorCode, F3Error } from '../../errors.ts';
import type { CoordinatorClient } from '../../exchange/client/coordinator-client.ts';
import { makeHomeFolder, membershipFolder } from '../../exchange/identity/home.ts';
import type { LiveSharing } from '../../shares/owner/live-sharing.ts';
import type { PseudonymousSender } from './pseudonym-options.ts';

export async function openLiveSharing(
  client: CoordinatorClient,
  { membership, key, home }: PseudonymousSender,
  fingerprint: string | undefined,
): Promise<LiveSharing> {
  const federation = membership.federation as string;
  const folder = membershipFolder(home, federation, membership.url);
  makeHomeFolder(home, folder);
  const { federationShares } = await import('../../exchange/client/federation-shares.ts');
  const { agreedCharter } = await import('../../shares/owner/pinned-charter.ts');
  const { loadKeyPair } = await import('../../exchange/identity/key-pair.ts');
  const { LiveSharing: Sharing } = await import('../../shares/owner/live-sharing.ts');
  const charter = agreedCharter(folder, (await federationShares(client, federation)).charter, fingerprint);
  const admission = async () => (await federationShares(client, federation)).admission ?? '';
  return new Sharing({ charter, keys: await loadKeyPair(key), admission });
}

/** What a coordinator says whose federation has no charter, and one that knows none. */
const NO_CHARTER: readonly (string | undefined)[] = ['F3_SHARES_CHARTER', 'F3_ROUTE'];

/**
 * Throws where the federation computes on shares. A bundle is announced and refused before a byte of it leaves, but a live embedding is in
 * the very request that the coordinator refuses, so we ask before the first one.
 */
export async function refuseWhereShared(
  client: CoordinatorClient,
  { owner, federation }: PseudonymousSender['membership'],
): Promise<void> {
  const { federationShares } = await import('../../exchange/client/federation-shares.ts');
  try {
    await federationShares(client, federation as string);
  } catch (error) {
    if (NO_CHARTER.includes(errorCode(error))) return;
    throw error;
  }
  const rule = `must be sent in shares, since federation ${federation} computes on shares`;
  throw new F3Error('F3_SHARES_ONLY', `embeddings of ${owner}: ${rule}, got none asked for`);
}
