// [coordinator] Founds a federation on shares: a key of its own, and the charter that names its entities.
import { createKeyPair } from '../../exchange/identity/key-pair.ts';
import { type Charter, charterFingerprint, makeCharter, parseEntityAddress } from '../../shares/charter.ts';
import type { Db } from '../../storage/schema.ts';
import { addCharter } from '../../storage/share-charters.ts';

/** Without a threshold as many entities may be curious together as can be. */
export async function foundCharter(
  db: Db,
  federation: string,
  entities: readonly string[],
  threshold: number = Math.floor((entities.length - 1) / 2),
): Promise<{ charter: Charter; fingerprint: string }> {
  const key = await createKeyPair();
  const charter = makeCharter(federation, threshold, key.id, entities.map(parseEntityAddress));
  const fingerprint = charterFingerprint(charter);
  await addCharter(db, { federation, fingerprint, charter, key });
  return { charter, fingerprint };
}
