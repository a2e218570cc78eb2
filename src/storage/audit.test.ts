// The chain of the audit log in the database, on both databases: no writer forks it, and nobody changes it.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeStores, someFederation } from '../../test/support/describe-stores.ts';
import { chainHash, entryDigest, genesisHash } from '../exchange/audit/audit-chain.ts';
import { appendAudit, listAudit } from './audit.ts';
import { contentOf, hashFromHead, listChainEnds } from './audit-heads.ts';
import { auditOrigin } from './audit-origin.ts';
import { inTransaction } from './database/in-transaction.ts';
import { openDatabase } from './database/open-database.ts';
import type { Db } from './schema.ts';

async function expectWhole(db: Db, federation: string | null, count: number): Promise<void> {
  const entries = await listAudit(db, { federation, limit: 1000 });
  expect(entries.map(({ number }) => number)).toEqual(Array.from({ length: count }, (_, i) => i + 1));
  let hash = genesisHash(federation);
  for (const entry of entries) {
    hash = chainHash(hash, entry.number, entryDigest(contentOf(entry)));
    expect(entry.hash).toBe(hash);
  }
  const [end] = await listChainEnds(db, federation);
  expect(end).toMatchObject({ count, hash });
  expect(await hashFromHead(db, end)).toBe(hash);
}

describeStores('the chain of an audit log', (suite) => {
  const append = (db: Db, federation: string, details = {}) =>
    appendAudit(db, { federation, actor: 'a', action: 'push', details });

  test('is the same when it is read back, whatever the details hold', async () => {
    const federation = await someFederation(suite.db);
    const details = [
      { zebra: 1, apple: { y: [1, 2, { b: 1, a: 2 }], x: null } },
      { numbers: [0.1, 1e21, 1e-7, -0, 123456789012345680000, 5e-324, 1.7976931348623157e308] },
      { text: 'ü 🌍 \u2028 "quoted" \\ \n', '': 'empty', 1: 'one', '10': 'ten', '9': 'nine' },
      { time: new Date(0), left: undefined },
    ];
    for (const one of details) await append(suite.db, federation, one);
    await auditOrigin.run({ keyId: 'key', address: '::1' }, () => append(suite.db, federation));
    await expectWhole(suite.db, federation, details.length + 1);
    const last = (await listAudit(suite.db, { federation })).at(-1);
    expect(last).toMatchObject({ keyId: 'key', address: '::1' });
  });

  test('two servers that write at the same moment do not fork it', async () => {
    const federation = await someFederation(suite.db);
    const location = suite.kind === 'postgres' ? await suite.location() : undefined;
    const stores = location ? await Promise.all([openDatabase(location), openDatabase(location)]) : [suite.store];
    const name = location ? await someFederation(stores[0].db) : federation;
    try {
      await Promise.all(
        Array.from({ length: 60 }, (_, i) =>
          inTransaction(stores[i % stores.length].db, async (trx) => {
            await append(trx, name, { i });
            if (i % 3 === 0) await append(trx, name, { i, again: true });
          }),
        ),
      );
      await expectWhole(stores[0].db, name, 80);
    } finally {
      if (location) for (const store of stores) await store.close();
    }
  });

  test('has no gap where a transaction was rolled back', async () => {
    const federation = await someFederation(suite.db);
    await append(suite.db, federation);
    const failing = inTransaction(suite.db, async (trx) => {
      await append(trx, federation);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await append(suite.db, federation);
    await expectWhole(suite.db, federation, 2);
  });

  test('refuses a number twice, even from a statement of somebody else', async () => {
    const federation = await someFederation(suite.db);
    const { number, hash } = await append(suite.db, federation);
    const forged = sql`insert into audit (federation, actor, action, details, number, hash)
      values (${federation}, 'a', 'push', '{}', ${number}, ${hash})`;
    await expect(forged.execute(suite.db)).rejects.toThrow(/audit_number/);
    await expect(sql`delete from audit_heads`.execute(suite.db)).rejects.toThrow(/append-only/);
  });
});
