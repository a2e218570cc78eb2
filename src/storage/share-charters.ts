// [coordinator] Charters of federations on shares, and what their entities have shown.
import { sql } from 'kysely';
import { listBundles } from './bundles.ts';
import type { Db, JsonObject, ShareCharterRow, ShareEntityRow } from './schema.ts';

export interface NewCharter {
  federation: string;
  fingerprint: string;
  charter: object;
  /** The coordinator's private key towards the entities, as JWK. */
  key: object;
}

export async function addCharter(db: Db, { federation, fingerprint, charter, key }: NewCharter): Promise<void> {
  await db
    .insertInto('shareCharters')
    .values({ federation, fingerprint, charter: JSON.stringify(charter), key: JSON.stringify(key) })
    .execute();
}

/** Undefined where embeddings are kept by the coordinator. */
export function findCharter(db: Db, federation: string): Promise<ShareCharterRow | undefined> {
  return db.selectFrom('shareCharters').selectAll().where('federation', '=', federation).executeTakeFirst();
}

export function listShareEntities(db: Db, federation: string): Promise<ShareEntityRow[]> {
  return db.selectFrom('shareEntities').selectAll().where('federation', '=', federation).orderBy('entity').execute();
}

export interface ShownEntity {
  entity: number;
  epoch: number;
  ledger: readonly object[];
}

/** Notes what entities have shown; a lower epoch than before changes nothing. */
export async function noteEntities(db: Db, federation: string, shown: readonly ShownEntity[]): Promise<void> {
  if (shown.length === 0) return;
  const seen = new Date();
  await db
    .insertInto('shareEntities')
    .values(
      shown.map(({ entity, epoch, ledger }) => ({ federation, entity, epoch, ledger: JSON.stringify(ledger), seen })),
    )
    .onConflict((conflict) =>
      conflict.columns(['federation', 'entity']).doUpdateSet((row) => ({
        epoch: sql<number>`greatest(share_entities.epoch, excluded.epoch)`,
        ledger: row.ref('excluded.ledger'),
        seen: row.ref('excluded.seen'),
      })),
    )
    .execute();
}

/** Roots of all shared bundles that are kept. */
export async function sharedRoots(db: Db, federation: string): Promise<string[]> {
  return (await listSharedBundles(db, federation)).map(({ root }) => root);
}

/** Shared bundles that are kept, by owner and version, or those of one owner. */
export async function listSharedBundles(
  db: Db,
  federation: string,
  owner?: string,
): Promise<{ owner: string; version: number; root: string; width: number }[]> {
  const bundles = await listBundles(db, federation, owner);
  return bundles.flatMap(({ owner: of, version, summary }) => {
    const root = rootOf(summary);
    return root === undefined ? [] : [{ owner: of, version, root, width: Number(summary.width) }];
  });
}

/** Root of a shared bundle, as its summary keeps it. */
export const rootOf = ({ root }: JsonObject): string | undefined => (typeof root === 'string' ? root : undefined);

/** What a bundle of codes states of them; undefined where embeddings were shared as they are. */
export const codingOf = ({ coding }: JsonObject): { bins: number; id: string } | undefined =>
  coding as { bins: number; id: string } | undefined;
