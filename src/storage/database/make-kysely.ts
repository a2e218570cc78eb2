// [coordinator] Kysely over either dialect: camelCase in TypeScript, snake_case in SQL.
import { CamelCasePlugin, type Dialect, Kysely } from 'kysely';
import type { Db, Schema } from '../schema.ts';

/** Keys inside JSON columns stay as they are. */
export const makeKysely = (dialect: Dialect): Db =>
  new Kysely<Schema>({ dialect, plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })] });
