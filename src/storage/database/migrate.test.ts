// A database that an older f3 made is carried forward with what is in it.
import { PGlite } from '@electric-sql/pglite';
import { PGliteDialect, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listModels, modelState } from '../models.ts';
import type { Db } from '../schema.ts';
import { listNewestTrainings } from '../trainings.ts';
import { makeKysely } from './make-kysely.ts';
import { MIGRATIONS, migrate } from './migrate.ts';

const TRAINING = '3f0ab1c2-5d6e-4f70-8a9b-0c1d2e3f4a5b';
const BLOB = '00000000-0000-4000-8000-000000000001';

describe('a database of the third migration', () => {
  let db: Db;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const pglite = new PGlite();
    close = () => pglite.close();
    db = makeKysely(new PGliteDialect({ pglite }));
    const before = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0004'));
    const { error } = await new Migrator({
      db,
      provider: { getMigrations: async () => before },
      migrationTableName: 'f3_migrations',
      migrationLockTableName: 'f3_migration_lock',
    }).migrateToLatest();
    expect(error).toBeUndefined();
    await sql.raw(`insert into federations (name) values ('grid')`).execute(db);
    await sql.raw(`insert into blobs (id) values ('${BLOB}')`).execute(db);
    await sql
      .raw(`insert into trainings (id, federation, requested_by, options, status, model_version)
        values ('${TRAINING}', 'grid', 'ops', '{"split": 3, "labels": 1, "bundles": []}', 'done', 2)`)
      .execute(db);
    for (const version of [1, 2]) {
      await sql
        .raw(`insert into models (federation, version, training, card, blob)
          values ('grid', ${version}, '${TRAINING}', '{}', '${BLOB}')`)
        .execute(db);
    }
    await sql.raw(`update federations set active_model = 2`).execute(db);
    await migrate(db);
  });
  afterAll(() => close?.());

  it('has no candidates: all of its models were active once', async () => {
    const models = await listModels(db, 'grid');
    expect(models.map((model) => modelState(model, 2))).toEqual(['former', 'active']);
    expect(models.every(({ activated, created }) => activated?.getTime() === created.getTime())).toBe(true);
  });

  it('keeps its trainings, of whose models nothing was decided', async () => {
    expect(await listNewestTrainings(db, 'grid', 100)).toMatchObject([
      { id: TRAINING, status: 'done', promotion: null },
    ]);
  });
});
