// What `f3 owner stream --share` sends with: lines to the entities of the charter that the owner has agreed to.
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
