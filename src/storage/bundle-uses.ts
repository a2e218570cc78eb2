// [coordinator] What needs a version of a bundle: trainings that will learn from it, and models that have learned from it.
import { sql } from 'kysely';
import { latestBundles, listBundles } from './bundles.ts';
import type { BundleRow, Db } from './schema.ts';

export interface BundleUses {
  /** Whether the next training learns from it: it is the newest of an owner that has a valid key. */
  counts: boolean;
  /** Versions of models that learned from these bytes. A refit of such a model for another owner needs them again. */
  models: number[];
  /** Ids of trainings, queued or running, that learn from it. */
  trainings: string[];
}

export type UsedBundle = BundleRow & { uses: BundleUses };

/** Lists all versions with their uses, by owner, or those of one owner. */
export async function listUsedBundles(db: Db, federation: string, owner?: string): Promise<UsedBundle[]> {
  const [bundles, latest] = [await listBundles(db, federation, owner), await latestBundles(db, federation)];
  const learned = await sql<{ model: number; owner: string; sha256: string }>`
    select version as model, entry ->> 'owner' as owner, entry ->> 'bundle' as sha256
    from models, jsonb_array_elements(card -> 'owners') as entry
    where federation = ${federation} order by version`.execute(db);
  const planned = await sql<{ training: string; owner: string; version: number }>`
    select id::text as training, entry ->> 'owner' as owner, (entry ->> 'version')::integer as version
    from trainings, jsonb_array_elements(options -> 'bundles') as entry
    where federation = ${federation} and status in ('queued', 'running') order by created`.execute(db);
  return bundles.map((bundle) => {
    const { version, sha256 } = bundle;
    const isOwn = (row: { owner: string }) => row.owner === bundle.owner;
    const models = learned.rows.filter((row) => isOwn(row) && row.sha256 === sha256);
    const trainings = planned.rows.filter((row) => isOwn(row) && row.version === version);
    const uses = {
      counts: latest.some((row) => isOwn(row) && row.version === version),
      models: models.map(({ model }) => model),
      trainings: trainings.map(({ training }) => training),
    };
    return { ...bundle, uses };
  });
}
