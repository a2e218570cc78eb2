// What a coordinator remembers of members and federations, on both databases.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { describeStores, someFederation, someMember } from '../../../test/support/describe-stores.ts';
import { inTransaction } from '../../storage/database/in-transaction.ts';
import { openDatabase, type Store } from '../../storage/database/open-database.ts';
import { revokeMember } from '../../storage/members.ts';
import { activateModel, addModel } from '../../storage/models.ts';
import { Directory } from './directory.ts';
import { openTokenLedger } from './open-token-ledger.ts';

/** What every request does before it counts. */
const request = async (store: Store, directory: Directory) => {
  const ledger = await openTokenLedger(store, directory);
  const iat = Math.floor(Date.now() / 1000);
  await ledger.use({ jti: randomBytes(16).toString('base64url'), iat, exp: iat + 60 });
  await ledger.close();
};

describeStores('a directory', (suite) => {
  test('answers again without asking the database', async () => {
    const federation = await someFederation(suite.db);
    const { keyId } = await someMember(suite.db, federation);
    const directory = new Directory(suite.store);
    const member = await directory.member(keyId);
    expect(member).toMatchObject({ owner: 'plant-7' });
    expect(await directory.member(keyId)).toBe(member);
    expect(await directory.federation(federation)).toBe(await directory.federation(federation));
  });

  test('asks again for strangers and for federations that were not there', async () => {
    const directory = new Directory(suite.store);
    const name = `late-${randomBytes(6).toString('hex')}`;
    await expect(directory.federation(name)).rejects.toMatchObject({ code: 'F3_FEDERATION_UNKNOWN' });
    expect(await directory.member('nobody')).toBeUndefined();
    const federation = await someFederation(suite.db);
    const { keyId } = await someMember(suite.db, federation);
    expect(await directory.member(keyId)).toMatchObject({ keyId });
  });

  test('knows of a revocation and of an activation at the next request', async () => {
    const federation = await someFederation(suite.db);
    const { keyId } = await someMember(suite.db, federation);
    const directory = new Directory(suite.store);
    await request(suite.store, directory);
    expect(await directory.member(keyId)).toMatchObject({ revoked: null });
    expect(await directory.federation(federation)).toMatchObject({ activeModel: null });
    await inTransaction(suite.db, (trx) => revokeMember(trx, federation, 'plant-7'));
    await addModel(suite.db, { federation, training: null, card: {}, weights: new Uint8Array(1) });
    await activateModel(suite.db, federation, 1);
    await request(suite.store, directory);
    expect((await directory.member(keyId))?.revoked).toBeInstanceOf(Date);
    expect(await directory.federation(federation)).toMatchObject({ activeModel: 1 });
  });

  test('does not remember what was asked before a change and answered after it', async () => {
    const federation = await someFederation(suite.db);
    const { keyId } = await someMember(suite.db, federation);
    const directory = new Directory(suite.store);
    const early = directory.member(keyId);
    await revokeMember(suite.db, federation, 'plant-7');
    await request(suite.store, directory);
    await early;
    expect((await directory.member(keyId))?.revoked).toBeInstanceOf(Date);
  });

  if (suite.kind === 'postgres') {
    test('knows of what another coordinator did', async () => {
      const location = await suite.location();
      const [here, there] = [await openDatabase(location), await openDatabase(location)];
      try {
        const federation = await someFederation(here.db);
        const { keyId } = await someMember(here.db, federation);
        const directory = new Directory(here);
        await request(here, directory);
        expect(await directory.member(keyId)).toMatchObject({ revoked: null });
        await revokeMember(there.db, federation, 'plant-7');
        await request(here, directory);
        expect((await directory.member(keyId))?.revoked).toBeInstanceOf(Date);
      } finally {
        await here.close();
        await there.close();
      }
    });
  }
});
