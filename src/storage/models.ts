// [coordinator] Fused models by version, and which one of them predicts.
import { sql } from 'kysely';
import { F3Error } from '../errors.ts';
import { writeBlob } from './blobs.ts';
import { inTransaction } from './database/in-transaction.ts';
import { lockFederation } from './federations.ts';
import type { Db, JsonObject, ModelRow } from './schema.ts';

export interface NewModel {
  federation: string;
  /** Id of the training it came from. */
  training: string | null;
  card: JsonObject;
  weights: Uint8Array;
}

/** Adds a candidate, which is not yet the active one. `readBlob(db, model.blob)` reads its weights. */
export function addModel(db: Db, { federation, training, card, weights }: NewModel): Promise<ModelRow> {
  return inTransaction(db, async (trx) => {
    // The weights are written before the lock, because they take a while and others may number versions meanwhile.
    const blob = await writeBlob(trx, weights);
    await lockFederation(trx, federation);
    return trx
      .insertInto('models')
      .values((row) => ({
        federation,
        training,
        card: JSON.stringify(card),
        blob,
        version: row
          .selectFrom('models')
          .select(sql<number>`coalesce(max(version), 0) + 1`.as('next'))
          .where('federation', '=', federation),
      }))
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/** What a model is to its federation: the one that answers, one that did, or one that never has. */
export function modelState(
  { version, activated }: Pick<ModelRow, 'version' | 'activated'>,
  active: number | null,
): 'active' | 'former' | 'candidate' {
  if (version === active) return 'active';
  return activated ? 'former' : 'candidate';
}

/** The version may be newer or older than the active one. */
export function activateModel(db: Db, federation: string, version: number): Promise<ModelRow> {
  return inTransaction(db, async (trx) => {
    await lockFederation(trx, federation);
    await requireModel(trx, federation, version);
    await trx.updateTable('federations').set({ activeModel: version }).where('name', '=', federation).execute();
    return trx
      .updateTable('models')
      .set({ activated: new Date() })
      .where('federation', '=', federation)
      .where('version', '=', version)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

export function activeModel(db: Db, federation: string): Promise<ModelRow | undefined> {
  return db
    .selectFrom('models')
    .innerJoin('federations', (join) =>
      join.onRef('federations.name', '=', 'models.federation').onRef('federations.activeModel', '=', 'models.version'),
    )
    .selectAll('models')
    .where('models.federation', '=', federation)
    .executeTakeFirst();
}

export function findModel(db: Db, federation: string, version: number): Promise<ModelRow | undefined> {
  return db
    .selectFrom('models')
    .selectAll()
    .where('federation', '=', federation)
    .where('version', '=', version)
    .executeTakeFirst();
}

export async function requireModel(db: Db, federation: string, version: number): Promise<ModelRow> {
  const model = await findModel(db, federation, version);
  if (model) return model;
  throw new F3Error('F3_MODEL_UNKNOWN', `model of ${federation}: version must exist, got ${version}`);
}

/** A model without most of its card, which lists every owner and every epoch. */
export interface ModelSummary extends Pick<ModelRow, 'version' | 'training' | 'created' | 'activated'> {
  validation: unknown;
  test: unknown;
  config: unknown;
  samples: unknown;
  /** Of an ensemble: how many models it is. */
  members: number | null;
  /** That of its training. */
  disclosure: JsonObject | null;
}

/** The newest models and the active one, without anything of their cards. */
export async function listNewestModels(
  db: Db,
  federation: string,
  { newest, active }: { newest: number; active: number | null },
): Promise<Pick<ModelRow, 'version' | 'training' | 'created' | 'activated'>[]> {
  const listed = db
    .selectFrom('models')
    .select(['version', 'training', 'created', 'activated'])
    .where('federation', '=', federation);
  const last = await listed.orderBy('version', 'desc').limit(newest).execute();
  if (active === null || last.some(({ version }) => version === active)) return last.reverse();
  return [...(await listed.where('version', '=', active).execute()), ...last.reverse()];
}

export function listModelSummaries(db: Db, federation: string): Promise<ModelSummary[]> {
  const ofCard = (field: 'validation' | 'test' | 'config' | 'samples') =>
    sql<unknown>`card -> ${sql.lit(field)}`.as(field);
  return db
    .selectFrom('models')
    .leftJoin('trainings', 'trainings.id', 'models.training')
    .select(['models.version', 'models.training', 'models.created', 'models.activated', 'trainings.disclosure'])
    .select([ofCard('validation'), ofCard('test'), ofCard('config'), ofCard('samples')])
    .select(sql<number | null>`jsonb_array_length(card -> 'ensemble' -> 'members')`.as('members'))
    .where('models.federation', '=', federation)
    .orderBy('models.version')
    .execute();
}

export function listModels(db: Db, federation: string): Promise<ModelRow[]> {
  return db.selectFrom('models').selectAll().where('federation', '=', federation).orderBy('version').execute();
}
