// [coordinator] Federations, which are created once and never renamed or deleted.
import { F3Error } from '../errors.ts';
import type { Db, FederationRow } from './schema.ts';

export interface NewFederation {
  name: string;
  classes?: readonly string[] | undefined;
}

export async function createFederation(db: Db, { name, classes }: NewFederation): Promise<FederationRow> {
  const row = await db
    .insertInto('federations')
    .values({ name, classes: classes ? JSON.stringify(classes) : null })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!row) throw new F3Error('F3_FEDERATION_EXISTS', `federation ${name}: name must be new, got one that is taken`);
  return row;
}

export function findFederation(db: Db, name: string): Promise<FederationRow | undefined> {
  return db.selectFrom('federations').selectAll().where('name', '=', name).executeTakeFirst();
}

export async function requireFederation(db: Db, name: string): Promise<FederationRow> {
  const federation = await findFederation(db, name);
  return federation ?? unknownFederation(name);
}

export function listFederations(db: Db): Promise<FederationRow[]> {
  return db.selectFrom('federations').selectAll().orderBy('name').execute();
}

/** Until the transaction ends nobody else numbers a version in this federation. */
export async function lockFederation(trx: Db, name: string): Promise<FederationRow> {
  const federation = await trx
    .selectFrom('federations')
    .selectAll()
    .where('name', '=', name)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return federation ?? unknownFederation(name);
}

function unknownFederation(name: string): never {
  throw new F3Error('F3_FEDERATION_UNKNOWN', `federation ${name}: must exist, got an unknown name`);
}
