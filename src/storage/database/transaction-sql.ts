// [coordinator] Lets pg-boss write in a transaction of ours, so that a job is there exactly when what it is for is there.
import { CompiledQuery } from 'kysely';
import type { Db } from '../schema.ts';
import type { Store } from './open-database.ts';

export const transactionSql = (trx: Db): Pick<Store, 'executeSql'> => ({
  async executeSql(text, values = []) {
    const { rows } = await trx.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, values));
    return { rows };
  },
});
