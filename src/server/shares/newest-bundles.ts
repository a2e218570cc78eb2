// [coordinator] Tells a model on shares which samples are in which rows: from what owners announced of the bundles that count.
import { sha256 } from '../../base/sha256.ts';
import { readBlob } from '../../storage/blobs.ts';
import { latestBundles } from '../../storage/bundles.ts';
import type { Db } from '../../storage/schema.ts';
import { codingOf } from '../../storage/share-charters.ts';
import type { ServedSharedModel } from './served-shared-model.ts';

/** Bundles of another width or other codes than the model has learned are left out, as if their owner were absent. */
export async function useNewestBundles(db: Db, federation: string, model: ServedSharedModel): Promise<void> {
  const widths = new Map(model.card.owners.map(({ owner, width }) => [owner, width]));
  const codings = model.card.onShares?.codings ?? {};
  const bundles = (await latestBundles(db, federation)).filter(
    ({ owner, summary }) => widths.get(owner) === summary.width && codings[owner] === codingOf(summary)?.id,
  );
  const named = sha256(JSON.stringify(bundles.map(({ owner, sha256: hash }) => [owner, hash])));
  await model.useBundles(named, async function* () {
    for (const { owner, blob } of bundles) yield { owner, bytes: await readBlob(db, blob) };
  });
}
