// A database that is gone when a transaction begins: whoever asked is told, and nobody waits for ever.
import { Kysely, PGliteDialect } from 'kysely';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { EmbeddedThread } from './embedded-thread.ts';
import { unpackEmptyDatabase } from './empty-database.ts';

it('fails a transaction that cannot begin at its first query, and one without queries at its end', async () => {
  const dir = temporaryDirectory();
  unpackEmptyDatabase(dir);
  const thread = await EmbeddedThread.open(dir, false);
  const db = new Kysely<{ pets: { name: string } }>({ dialect: new PGliteDialect({ pglite: thread }) });
  await db.schema.createTable('pets').addColumn('name', 'text').execute();
  const add = () => db.transaction().execute((trx) => trx.insertInto('pets').values({ name: 'rex' }).execute());
  await add();
  expect(await db.selectFrom('pets').selectAll().execute()).toEqual([{ name: 'rex' }]);
  await thread.close();
  await expect(add()).rejects.toThrow('got a closed one');
  await expect(thread.transaction(async () => 'nothing asked')).rejects.toThrow('got a closed one');
  // Nobody holds the connection of a transaction that never began.
  await expect(add()).rejects.toThrow('got a closed one');
});
