// What a request with a key makes is made once, on both databases.
import { expect, test } from 'vitest';
import { describeStores, someFederation, someMember } from '../../test/support/describe-stores.ts';
import { type Creation, type CreationRequest, createOnce, removeOldCreations } from './creations.ts';
import { createFederation, findFederation, requireFederation } from './federations.ts';
import { createInvitation, redeemInvitation, renewInvitation } from './invitations.ts';
import type { Db, FederationRow } from './schema.ts';

const federation = (name: string): Creation<FederationRow> => ({
  create: async (trx) => ({ subject: name, answer: await createFederation(trx, { name }) }),
  repeat: async (trx, subject) => ({ subject, answer: await requireFederation(trx, subject) }),
});

describeStores('a creation', (suite) => {
  async function someRequest(db: Db, key: string | undefined = 'k'): Promise<CreationRequest> {
    const { id } = await someMember(db, await someFederation(db));
    return { member: id, key, request: 'hash' };
  }

  test('asked for twice with one key is made once, with the same answer', async () => {
    const request = await someRequest(suite.db);
    const first = await createOnce(suite.db, request, federation('once'));
    expect(await createOnce(suite.db, request, federation('once'))).toEqual(first);
    await expect(createOnce(suite.db, { ...request, key: undefined }, federation('once'))).rejects.toMatchObject({
      code: 'F3_FEDERATION_EXISTS',
    });
  });

  test('asked for many times at once is made once', async () => {
    const request = await someRequest(suite.db);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => createOnce(suite.db, request, federation('at-once'))),
    );
    expect(new Set(answers.map(({ created }) => created.getTime())).size).toBe(1);
  });

  test('is its member’s alone, and its key stands for one request', async () => {
    const request = await someRequest(suite.db);
    await createOnce(suite.db, request, federation('mine'));
    await expect(createOnce(suite.db, { ...request, request: 'other' }, federation('more'))).rejects.toMatchObject({
      code: 'F3_REQUEST_KEY',
    });
    const stranger = await someRequest(suite.db, request.key);
    expect(await createOnce(suite.db, stranger, federation('theirs'))).toMatchObject({ name: 'theirs' });
    expect(await findFederation(suite.db, 'more')).toBeUndefined();
  });

  test('that failed leaves its key free', async () => {
    const request = await someRequest(suite.db);
    const fails = { ...federation('failed'), create: () => Promise.reject(new Error('no')) };
    await expect(createOnce(suite.db, request, fails)).rejects.toThrow('no');
    expect(await createOnce(suite.db, request, federation('failed'))).toMatchObject({ name: 'failed' });
  });

  test('is forgotten after a while', async () => {
    const request = await someRequest(suite.db);
    await createOnce(suite.db, request, federation('old'));
    await removeOldCreations(suite.db, new Date(Date.now() + 1000));
    await expect(createOnce(suite.db, request, federation('old'))).rejects.toMatchObject({
      code: 'F3_FEDERATION_EXISTS',
    });
  });

  test('of an invitation gives another code when asked again; the one that got lost is void', async () => {
    const name = await someFederation(suite.db);
    const expires = new Date(Date.now() + 60_000);
    const lost = await createInvitation(suite.db, { federation: name, owner: 'a', role: 'owner', expires });
    const renewed = await renewInvitation(suite.db, lost.codeHash);
    const key = { keyId: `key-of-${name}`, publicKey: {} };
    await expect(redeemInvitation(suite.db, lost.code, key)).rejects.toMatchObject({ code: 'F3_INVITATION' });
    expect(await redeemInvitation(suite.db, renewed.code, key)).toMatchObject({ member: { owner: 'a' } });
    await expect(renewInvitation(suite.db, renewed.codeHash)).rejects.toMatchObject({ code: 'F3_INVITATION_USED' });
  });
});
