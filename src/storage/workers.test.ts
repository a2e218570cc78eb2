import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeStores } from '../../test/support/describe-stores.ts';
import { countWorkers, forgetWorkers, noteWorker, removeWorker } from './workers.ts';

describeStores('workers', (suite) => {
  test('are counted while they say that they live', async () => {
    const { db } = suite;
    const [one, two, dead] = [randomUUID(), randomUUID(), randomUUID()];
    expect(await countWorkers(db)).toBe(0);
    for (const id of [one, two, one, dead]) await noteWorker(db, id);
    expect(await countWorkers(db)).toBe(3);
    await db.updateTable('workers').set({ seen: sql`now() - interval '1 minute'` }).where('id', '=', dead).execute();
    expect(await countWorkers(db)).toBe(2);
    await removeWorker(db, one);
    expect(await countWorkers(db)).toBe(1);
    await noteWorker(db, dead);
    expect(await countWorkers(db)).toBe(2);
    await forgetWorkers(db);
    expect(await countWorkers(db)).toBe(0);
  });

  test('that died long ago leave nothing behind', async () => {
    const { db } = suite;
    await noteWorker(db, randomUUID());
    await db.updateTable('workers').set({ seen: sql`now() - interval '2 days'` }).execute();
    await noteWorker(db, randomUUID());
    expect(await db.selectFrom('workers').selectAll().execute()).toHaveLength(1);
  });
});
