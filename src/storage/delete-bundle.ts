// [coordinator] Deletes a version of a bundle, bytes and all, unless something needs it.
import { F3Error } from '../errors.ts';
import { deleteBlob } from './blobs.ts';
import { listUsedBundles } from './bundle-uses.ts';
import { requireBundle } from './bundles.ts';
import { inTransaction } from './database/in-transaction.ts';
import type { Db, DeletedBundleRow } from './schema.ts';

export interface BundleName {
  federation: string;
  owner: string;
  version: number;
}

export interface DeleteBundleOptions {
  /** Deletes the bundle even if models learned from it: they go on predicting, and can no longer be refitted. */
  despiteModels?: boolean | undefined;
}

export interface DeletedBundle extends Omit<DeletedBundleRow, 'federation'> {
  /** Models that learned from it. */
  models: number[];
  /** Whether it was deleted just now, and not before. */
  isNew: boolean;
}

/** A bundle may be deleted more than once. Its number is never given to another one. */
export function deleteBundle(
  db: Db,
  { federation, owner, version }: BundleName,
  { despiteModels = false }: DeleteBundleOptions = {},
): Promise<DeletedBundle> {
  return inTransaction(db, async (trx) => {
    const before = await findDeleted(trx, { federation, owner, version });
    if (before) return { ...before, models: [], isNew: false };
    const { blob, sha256, size } = await requireBundle(trx, federation, owner, version);
    // Whoever makes this upload count once more holds the row, and then has a version of its own that needs the bytes.
    await trx.selectFrom('uploads').select('id').where('blob', '=', blob).forUpdate().execute();
    const models = await requireUnused(trx, { federation, owner, version }, despiteModels);
    const gone = await trx
      .deleteFrom('bundles')
      .where('federation', '=', federation)
      .where('owner', '=', owner)
      .where('version', '=', version)
      .executeTakeFirst();
    if (gone.numDeletedRows === 0n) await requireBundle(trx, federation, owner, version); // somebody was faster, so this throws
    await freeBlob(trx, blob);
    const { federation: _, ...row } = await trx
      .insertInto('deletedBundles')
      .values({ federation, owner, version, sha256, size })
      .returningAll()
      .executeTakeFirstOrThrow();
    return { ...row, models, isNew: true };
  });
}

/** Throws if something needs the bundle. Gives the models that lose it. */
async function requireUnused(trx: Db, bundle: BundleName, despiteModels: boolean): Promise<number[]> {
  const { federation, owner, version } = bundle;
  const versions = await listUsedBundles(trx, federation, owner);
  const found = versions.find((one) => one.version === version);
  if (!found) return [];
  const name = `bundle ${owner} version ${version}`;
  if (found.uses.counts) {
    const rule = 'must not be the version that counts, which the next training learns from';
    throw new F3Error('F3_BUNDLE_COUNTS', `${name}: ${rule}, got the newest`);
  }
  const [training] = found.uses.trainings;
  if (training) {
    const rule = 'must not be needed by a training under way';
    throw new F3Error('F3_BUNDLE_IN_TRAINING', `${name}: ${rule}, got training ${training}`);
  }
  // The same bytes may count once more under another number.
  const isElsewhere = versions.some((one) => one.version !== version && one.sha256 === found.sha256);
  const models = isElsewhere ? [] : found.uses.models;
  if (models.length === 0 || despiteModels) return models;
  const which = models.length === 1 ? `model ${models[0]}, which` : `models ${models.join(', ')}, which`;
  const rule = 'must not be needed to refit a model';
  throw new F3Error('F3_BUNDLE_IN_MODEL', `${name}: ${rule}, got ${which} learned from it`, {
    remedy: 'despiteModels',
  });
}

/** Deletes the bytes and the uploads that brought them, so that the same file may be sent anew. */
async function freeBlob(trx: Db, blob: string): Promise<void> {
  const other = await trx.selectFrom('bundles').select('version').where('blob', '=', blob).limit(1).executeTakeFirst();
  if (other) return;
  await trx.deleteFrom('uploads').where('blob', '=', blob).execute();
  await deleteBlob(trx, blob);
}

function findDeleted(
  db: Db,
  { federation, owner, version }: BundleName,
): Promise<Omit<DeletedBundleRow, 'federation'> | undefined> {
  return db
    .selectFrom('deletedBundles')
    .select(['owner', 'version', 'sha256', 'size', 'deleted'])
    .where('federation', '=', federation)
    .where('owner', '=', owner)
    .where('version', '=', version)
    .executeTakeFirst();
}
