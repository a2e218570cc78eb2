// [coordinator] Owners' bundles: a version each time an owner sends another one; old ones stay until somebody deletes them.
import { sql } from 'kysely';
import { F3Error } from '../errors.ts';
import { inTransaction } from './database/in-transaction.ts';
import { lockMember } from './members.ts';
import type { BundleRow, Db, JsonObject } from './schema.ts';

export interface NewBundle {
  federation: string;
  owner: string;
  /** Id of the member who sent it. */
  member: string;
  blob: string;
  sha256: string;
  size: number;
  summary: JsonObject;
  /** Its number, where the owner has fixed it; by default the next. */
  version?: number | undefined;
}

/** Adds the bundle as the owner's newest version. */
export function addBundle(db: Db, { summary, version, ...bundle }: NewBundle): Promise<BundleRow> {
  const { federation, owner, member } = bundle;
  return inTransaction(db, async (trx) => {
    // An owner's bundles are added one after the other, so that each gets a number of its own.
    await lockMember(trx, member);
    return trx
      .insertInto('bundles')
      .values((row) => ({
        ...bundle,
        summary: JSON.stringify(summary),
        version:
          version ??
          row
            .selectFrom(
              row
                .selectFrom('bundles')
                .select(['federation', 'owner', 'version'])
                .unionAll(row.selectFrom('deletedBundles').select(['federation', 'owner', 'version']))
                .as('sent'),
            )
            .select(sql<number>`coalesce(max(version), 0) + 1`.as('next'))
            .where('federation', '=', federation)
            .where('owner', '=', owner),
      }))
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/**
 * Lists the newest bundle of each owner, by owner. Those of revoked owners are kept but no longer count, also when a label
 * holder takes the name.
 */
export function latestBundles(db: Db, federation: string): Promise<BundleRow[]> {
  return db
    .selectFrom('bundles')
    .innerJoin('members', (join) =>
      join.onRef('members.federation', '=', 'bundles.federation').onRef('members.owner', '=', 'bundles.owner'),
    )
    .selectAll('bundles')
    .distinctOn('bundles.owner')
    .where('bundles.federation', '=', federation)
    .where('members.revoked', 'is', null)
    .where('members.role', '=', 'owner')
    .orderBy('bundles.owner')
    .orderBy('bundles.version', 'desc')
    .execute();
}

/** The number that the owner's next bundle gets, unless another comes first. Numbers of deleted ones do not come back. */
export async function nextVersion(db: Db, federation: string, owner: string): Promise<number> {
  const newest = async (table: 'bundles' | 'deletedBundles') => {
    const found = await db
      .selectFrom(table)
      .select((row) => row.fn.max('version').as('version'))
      .where('federation', '=', federation)
      .where('owner', '=', owner)
      .executeTakeFirst();
    return Number(found?.version ?? 0);
  };
  return Math.max(await newest('bundles'), await newest('deletedBundles')) + 1;
}

/** Lists all versions, by owner, or those of one owner. */
export function listBundles(db: Db, federation: string, owner?: string): Promise<BundleRow[]> {
  return db
    .selectFrom('bundles')
    .selectAll()
    .where('federation', '=', federation)
    .$if(owner !== undefined, (query) => query.where('owner', '=', owner!))
    .orderBy('owner')
    .orderBy('version')
    .execute();
}

export function findBundle(db: Db, federation: string, owner: string, version: number): Promise<BundleRow | undefined> {
  return db
    .selectFrom('bundles')
    .selectAll()
    .where('federation', '=', federation)
    .where('owner', '=', owner)
    .where('version', '=', version)
    .executeTakeFirst();
}

export async function requireBundle(db: Db, federation: string, owner: string, version: number): Promise<BundleRow> {
  const bundle = await findBundle(db, federation, owner, version);
  if (bundle) return bundle;
  throw new F3Error('F3_BUNDLE_UNKNOWN', `bundle ${owner}: version must exist in ${federation}, got ${version}`);
}
