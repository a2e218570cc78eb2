// Attacks on quotas, on both databases: each is counted and refused in the transaction that would take more.
import { expect, test } from 'vitest';
import { describeStores, someFederation, someMember } from '../../test/support/describe-stores.ts';
import { sha256 } from '../base/sha256.ts';
import { type Quotas, STANDARD_QUOTAS } from '../exchange/quotas.ts';
import { addBundle } from './bundles.ts';
import { inTransaction } from './database/in-transaction.ts';
import { deleteBundle } from './delete-bundle.ts';
import { revokeMember } from './members.ts';
import { quotasOf, quotaUsage, requireQueue, requireRoom, requireVersions, setQuotas } from './quotas.ts';
import type { Db, MemberRow } from './schema.ts';
import { cancelTraining, createTraining, startTraining } from './trainings.ts';
import { appendToUpload, completeUpload, openUpload } from './uploads.ts';

const bytesOf = (text: string) => Buffer.from(text.padEnd(100, '.'));
const refused = { code: 'F3_QUOTA' };

function open(db: Db, { id, federation, owner }: MemberRow, text: string, changes: Partial<Quotas>) {
  const [bytes, quotas] = [bytesOf(text), { ...STANDARD_QUOTAS, ...changes }];
  const upload = { federation: federation as string, kind: 'bundle' as const, size: bytes.length };
  return openUpload(
    db,
    { ...upload, member: id, sha256: sha256(bytes) },
    { requireRoom: (trx) => requireRoom(trx, { ...upload, owner, quotas }) },
  );
}

async function send(db: Db, member: MemberRow, text: string, changes: Partial<Quotas>): Promise<number> {
  const { id } = await open(db, member, text, changes);
  await appendToUpload(db, id, 0, bytesOf(text));
  const complete = await completeUpload(
    db,
    id,
    {
      check: async () => ({ summary: {} }),
      insert: async (trx, { blob, sha256: hash, size }) => {
        const { federation, owner } = member as MemberRow & { federation: string };
        await requireVersions(trx, { federation, owner, kind: 'bundle', quotas: { ...STANDARD_QUOTAS, ...changes } });
        const stored = { federation, owner, member: member.id, blob, sha256: hash, size, summary: {} };
        return (await addBundle(trx, stored)).version;
      },
      newest: async () => 0,
    },
    { again: true },
  );
  return complete.version;
}

describeStores('quotas', (suite) => {
  const member = async (owner = 'plant-7') => someMember(suite.db, await someFederation(suite.db), owner);

  test('attack: announce ten uploads at once, so that each is counted before the others', async () => {
    const plant = await member();
    const tries = Array.from({ length: 10 }, (_, i) => open(suite.db, plant, `upload ${i}`, { memberBytes: 350 }));
    const outcomes = await Promise.allSettled(tries);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(refused);
  });

  test('attack: delete and send again, round after round; what is kept counts, neither more nor less', async () => {
    const plant = await member();
    const federation = plant.federation as string;
    const quotas = { memberBytes: 250 };
    expect(await send(suite.db, plant, 'one', quotas)).toBe(1);
    for (let version = 2; version <= 6; version++) {
      expect(await send(suite.db, plant, `round ${version}`, quotas)).toBe(version);
      await expect(open(suite.db, plant, 'one more', quotas)).rejects.toMatchObject(refused);
      await deleteBundle(suite.db, { federation, owner: plant.owner, version: version - 1 });
    }
    const [bytes] = await quotaUsage(suite.db, federation, { ...STANDARD_QUOTAS, ...quotas });
    expect(bytes).toEqual({ quota: 'memberBytes', used: 100, most: 250, member: 'plant-7' });
  });

  test('attack: come back with a new key under the same name, and begin to count anew', async () => {
    const plant = await member();
    const federation = plant.federation as string;
    await send(suite.db, plant, 'sent before', { memberBytes: 150 });
    await revokeMember(suite.db, federation, plant.owner);
    const again = await someMember(suite.db, federation, plant.owner);
    await expect(open(suite.db, again, 'sent after', { memberBytes: 150 })).rejects.toMatchObject(refused);
  });

  test('attack: many owners each below their own quota, and all together above that of the federation', async () => {
    const first = await member('owner-0');
    await open(suite.db, first, 'first', { federationBytes: 250 });
    const names = ['owner-1', 'owner-2', 'owner-3'];
    const others = await Promise.all(names.map((name) => someMember(suite.db, first.federation as string, name)));
    const tries = others.map((other, i) => open(suite.db, other, `other ${i}`, { federationBytes: 250 }));
    const states = (await Promise.allSettled(tries)).map(({ status }) => status);
    expect(states.toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  test('attack: the same bytes made the newest again and again, versions without bytes', async () => {
    const plant = await member();
    const quotas = { memberVersions: 2 };
    expect(await send(suite.db, plant, 'toggled', quotas)).toBe(1);
    expect(await send(suite.db, plant, 'other', quotas)).toBe(2);
    await expect(open(suite.db, plant, 'third', quotas)).rejects.toMatchObject({
      message: expect.stringContaining('member plant-7: may take at most 2 of quota memberVersions'),
    });
    await expect(send(suite.db, plant, 'toggled', quotas)).resolves.toBe(1); // it is complete, and stays what it is
  });

  test('an upload that was announced before is found again, however full the quota is', async () => {
    const plant = await member();
    const { id } = await open(suite.db, plant, 'resumed', { memberBytes: 100 });
    expect((await open(suite.db, plant, 'resumed', { memberBytes: 100 })).id).toBe(id);
  });

  test('attack: twenty trainings at once past the quota of those that wait', async () => {
    const federation = await someFederation(suite.db);
    const quotas = { ...STANDARD_QUOTAS, memberQueued: 5, federationQueued: 8 };
    const ask = (requestedBy: string) =>
      inTransaction(suite.db, async (trx) => {
        await requireQueue(trx, federation, requestedBy, quotas);
        return createTraining(trx, { federation, requestedBy, options: {} });
      });
    const all = (name: string) => Promise.allSettled(Array.from({ length: 10 }, () => ask(name)));
    const passed = (outcomes: PromiseSettledResult<unknown>[]) =>
      outcomes.filter(({ status }) => status === 'fulfilled').length;
    const [first, second] = await Promise.all([all('ops'), all('registry')]);
    expect(passed(first) + passed(second)).toBe(8);
    expect(Math.max(passed(first), passed(second))).toBeLessThanOrEqual(5);
  });

  test('are the coordinator’s unless something else was set for the federation, and again after it was put back', async () => {
    const federation = await someFederation(suite.db);
    await inTransaction(suite.db, (trx) => setQuotas(trx, federation, { memberBytes: 5, memberQueued: 7 }));
    expect(await quotasOf(suite.db, federation, STANDARD_QUOTAS)).toEqual({
      ...STANDARD_QUOTAS,
      memberBytes: 5,
      memberQueued: 7,
    });
    await inTransaction(suite.db, (trx) => setQuotas(trx, federation, { memberBytes: null }));
    expect(await quotasOf(suite.db, federation, STANDARD_QUOTAS)).toEqual({ ...STANDARD_QUOTAS, memberQueued: 7 });
  });
});

describeStores('turns', (suite) => {
  const ask = (federation: string, db: Db = suite.db) =>
    createTraining(db, { federation, requestedBy: 'ops', options: {} });
  const askFor = (count: number, federation: string) =>
    inTransaction(suite.db, async (trx) => {
      for (let i = 0; i < count; i++) await ask(federation, trx);
    });
  /** As a worker takes them: the lowest turn first, and of the same the older. */
  const takeAll = (federations: string[]) => inTransaction(suite.db, (trx) => take(trx, federations));
  const take = async (trx: Db, federations: string[]): Promise<string[]> => {
    const taken: string[] = [];
    for (;;) {
      const next = await trx
        .selectFrom('trainings')
        .select(['id', 'federation'])
        .where('federation', 'in', federations)
        .where('status', '=', 'queued')
        .orderBy('turn')
        .orderBy('created')
        .limit(1)
        .executeTakeFirst();
      if (!next) return taken;
      await startTraining(trx, next.id);
      taken.push(next.federation);
    }
  };

  test('attack: two hundred queued trainings of one federation do not starve another', async () => {
    const [greedy, modest] = [await someFederation(suite.db), await someFederation(suite.db)];
    await askFor(200, greedy);
    const [first] = await suite.db
      .selectFrom('trainings')
      .select('id')
      .where('federation', '=', greedy)
      .orderBy('turn')
      .limit(1)
      .execute();
    await startTraining(suite.db, first.id);
    await askFor(3, modest);
    const order = await takeAll([greedy, modest]);
    expect(order.slice(0, 6).filter((name) => name === modest)).toHaveLength(3);
    expect(order.filter((name) => name === greedy)).toHaveLength(199);
  });

  test('attack: wait idle for a long time, then claim all turns that were not used', async () => {
    const [busy, idle] = [await someFederation(suite.db), await someFederation(suite.db)];
    await askFor(20, busy);
    await takeAll([busy]);
    await askFor(5, busy);
    await askFor(5, idle);
    const order = await takeAll([busy, idle]);
    expect(order.slice(0, 6).filter((name) => name === busy).length).toBeGreaterThanOrEqual(2);
  });

  test('what was cancelled before it began took no turn', async () => {
    const [careless, other] = [await someFederation(suite.db), await someFederation(suite.db)];
    for (let i = 0; i < 50; i++) await cancelTraining(suite.db, (await ask(careless)).id);
    await askFor(5, other);
    await ask(careless);
    expect((await takeAll([careless, other])).indexOf(careless)).toBeLessThanOrEqual(1);
  });
});
