// Federations, members, invitations, used tokens and the audit log, on both databases.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeStores, someFederation, someKey, someMember } from '../../test/support/describe-stores.ts';
import { appendAudit, listAudit } from './audit.ts';
import { inTransaction } from './database/in-transaction.ts';
import { createFederation, findFederation, listFederations, requireFederation } from './federations.ts';
import {
  cancelInvitation,
  cancelInvitationsOf,
  createInvitation,
  listOpenInvitations,
  redeemInvitation,
  removeOldInvitations,
  renewInvitation,
} from './invitations.ts';
import { addMember, findMember, findMemberByKeyId, listMembers, revokeMember } from './members.ts';
import { forgetExpiredTokens, useOnce } from './used-tokens.ts';

const inAnHour = () => new Date(Date.now() + 3_600_000);

describeStores('membership', (suite) => {
  test('a federation is made once and found by name', async () => {
    const made = await createFederation(suite.db, { name: 'grid-1', classes: ['calm', 'fault'] });
    expect(made).toMatchObject({ name: 'grid-1', classes: ['calm', 'fault'], activeModel: null });
    expect(made.created).toBeInstanceOf(Date);
    expect(await findFederation(suite.db, 'grid-1')).toEqual(made);
    expect((await listFederations(suite.db)).map(({ name }) => name)).toContain('grid-1');
    await expect(createFederation(suite.db, { name: 'grid-1' })).rejects.toMatchObject({
      code: 'F3_FEDERATION_EXISTS',
    });
  });

  test('an unknown federation is an error of its own', async () => {
    expect(await findFederation(suite.db, 'nowhere')).toBeUndefined();
    await expect(requireFederation(suite.db, 'nowhere')).rejects.toMatchObject({ code: 'F3_FEDERATION_UNKNOWN' });
  });

  test('a member is found by its key, and after revocation still, with the date', async () => {
    const federation = await someFederation(suite.db);
    const member = await someMember(suite.db, federation);
    expect(await findMemberByKeyId(suite.db, member.keyId)).toEqual(member);
    await revokeMember(suite.db, federation, 'plant-7');
    const revoked = await findMemberByKeyId(suite.db, member.keyId);
    expect(revoked?.revoked).toBeInstanceOf(Date);
    await expect(revokeMember(suite.db, federation, 'plant-7')).rejects.toMatchObject({ code: 'F3_MEMBER_UNKNOWN' });
  });

  test('a name has one valid key at a time; a revoked one makes room, its key never does', async () => {
    const federation = await someFederation(suite.db);
    const { keyId } = await someMember(suite.db, federation);
    await expect(someMember(suite.db, federation)).rejects.toMatchObject({ code: 'F3_MEMBER_EXISTS' });
    await revokeMember(suite.db, federation, 'plant-7');
    const again = { federation, owner: 'plant-7', role: 'owner', publicKey: {} } as const;
    await expect(addMember(suite.db, { ...again, keyId })).rejects.toMatchObject({ code: 'F3_MEMBER_EXISTS' });
    await someMember(suite.db, federation);
    expect((await listMembers(suite.db, federation)).map(({ revoked }) => revoked !== null)).toEqual([true, false]);
  });

  test('operators belong to no federation', async () => {
    await addMember(suite.db, { federation: null, owner: 'operator', role: 'operator', ...someKey() });
    expect(await listMembers(suite.db, null)).toMatchObject([{ owner: 'operator', federation: null }]);
    const second = { federation: null, owner: 'operator', role: 'operator', ...someKey() } as const;
    await expect(addMember(suite.db, second)).rejects.toMatchObject({ code: 'F3_MEMBER_EXISTS' });
  });

  test('an invitation is redeemed once, and again by the same key only', async () => {
    const federation = await someFederation(suite.db);
    const { code } = await createInvitation(suite.db, { federation, owner: 'a', role: 'owner', expires: inAnHour() });
    const key = someKey();
    const { member, isNew } = await redeemInvitation(suite.db, code, key);
    expect(isNew).toBe(true);
    expect(member).toMatchObject({ federation, owner: 'a', role: 'owner', keyId: key.keyId, publicKey: key.publicKey });
    expect(await redeemInvitation(suite.db, code, key)).toEqual({ member, isNew: false });
    await expect(redeemInvitation(suite.db, code, someKey())).rejects.toMatchObject({ code: 'F3_INVITATION_USED' });
    await revokeMember(suite.db, federation, 'a');
    await expect(redeemInvitation(suite.db, code, key)).rejects.toMatchObject({ code: 'F3_INVITATION_USED' });
  });

  test('of many who redeem a code at once one gets in', async () => {
    const federation = await someFederation(suite.db);
    const { code } = await createInvitation(suite.db, { federation, owner: 'a', role: 'owner', expires: inAnHour() });
    const tries = Array.from({ length: 8 }, () => redeemInvitation(suite.db, code, someKey()));
    const outcomes = await Promise.allSettled(tries);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await listMembers(suite.db, federation)).toHaveLength(1);
  });

  test('unknown and expired codes let nobody in', async () => {
    const federation = await someFederation(suite.db);
    await expect(redeemInvitation(suite.db, 'guess', someKey())).rejects.toMatchObject({ code: 'F3_INVITATION' });
    const expires = new Date(Date.now() - 1);
    const { code } = await createInvitation(suite.db, { federation, owner: 'late', role: 'labels', expires });
    await expect(redeemInvitation(suite.db, code, someKey())).rejects.toMatchObject({ code: 'F3_INVITATION_EXPIRED' });
    expect(await listMembers(suite.db, federation)).toEqual([]);
  });

  test('a cancelled code lets nobody in, and is no longer open', async () => {
    const federation = await someFederation(suite.db);
    const invitation = { federation, owner: 'a', role: 'owner', expires: inAnHour() } as const;
    const { code, codeHash } = await createInvitation(suite.db, invitation);
    const { code: used } = await createInvitation(suite.db, { ...invitation, owner: 'b' });
    await redeemInvitation(suite.db, used, someKey());
    const [open, ...others] = await listOpenInvitations(suite.db, federation);
    expect([open.owner, others]).toEqual(['a', []]);
    await expect(cancelInvitation(suite.db, 'elsewhere', open.id)).rejects.toMatchObject({
      code: 'F3_INVITATION_UNKNOWN',
    });
    await cancelInvitation(suite.db, federation, open.id);
    await expect(redeemInvitation(suite.db, code, someKey())).rejects.toMatchObject({
      code: 'F3_INVITATION_CANCELLED',
    });
    await expect(renewInvitation(suite.db, codeHash)).rejects.toMatchObject({ code: 'F3_INVITATION_USED' });
    await expect(cancelInvitation(suite.db, federation, open.id)).rejects.toMatchObject({
      code: 'F3_INVITATION_UNKNOWN',
    });
    expect(await listOpenInvitations(suite.db, federation)).toEqual([]);
  });

  test('of who redeems a code and who revokes its owner at the same moment, nobody waits for the other for ever', async () => {
    const federation = await someFederation(suite.db);
    const invitation = { federation, owner: 'a', role: 'owner', expires: inAnHour() } as const;
    const codes = [await createInvitation(suite.db, invitation), await createInvitation(suite.db, invitation)];
    await redeemInvitation(suite.db, codes[0].code, someKey());
    const revoked = inTransaction(suite.db, async (trx) => {
      await cancelInvitationsOf(trx, federation, 'a');
      await revokeMember(trx, federation, 'a');
    });
    const [joined, left] = await Promise.allSettled([redeemInvitation(suite.db, codes[1].code, someKey()), revoked]);
    expect(left.status).toBe('fulfilled');
    expect(joined).toMatchObject({
      status: 'rejected',
      reason: { code: expect.stringMatching(/^F3_(INVITATION_CANCELLED|MEMBER_EXISTS)$/) },
    });
    expect(await findMember(suite.db, federation, 'a')).toBeUndefined();
  });

  test('expired codes are listed as such, and forgotten in the end', async () => {
    const federation = await someFederation(suite.db);
    const expires = new Date(Date.now() - 1000);
    await createInvitation(suite.db, { federation, owner: 'late', role: 'labels', expires });
    expect(await listOpenInvitations(suite.db, federation)).toMatchObject([{ owner: 'late', expires }]);
    await removeOldInvitations(suite.db, new Date(Date.now() - 5000));
    expect(await listOpenInvitations(suite.db, federation)).toHaveLength(1);
    await removeOldInvitations(suite.db, new Date());
    expect(await listOpenInvitations(suite.db, federation)).toEqual([]);
  });

  test('who has a valid key is not invited again, and nobody is into an unknown federation', async () => {
    const federation = await someFederation(suite.db);
    await someMember(suite.db, federation, 'a');
    const invitation = { owner: 'a', role: 'owner', expires: inAnHour() } as const;
    await expect(createInvitation(suite.db, { ...invitation, federation })).rejects.toMatchObject({
      code: 'F3_MEMBER_EXISTS',
    });
    await expect(createInvitation(suite.db, { ...invitation, federation: 'nowhere' })).rejects.toMatchObject({
      code: 'F3_FEDERATION_UNKNOWN',
    });
  });

  test('the code itself is nowhere in the database', async () => {
    const federation = await someFederation(suite.db);
    const { code } = await createInvitation(suite.db, { federation, owner: 'a', role: 'owner', expires: inAnHour() });
    const rows = await suite.db.selectFrom('invitations').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(code);
  });

  test('a token is new once, in one batch and over batches at the same time', async () => {
    const soon = inAnHour();
    expect(await useOnce(suite.db, [], [])).toMatchObject({ fresh: [] });
    expect(await useOnce(suite.db, ['a', 'b', 'a'], [soon, soon, soon])).toMatchObject({ fresh: [true, true, false] });
    const batch = Array.from({ length: 200 }, (_, index) => `token-${index}`);
    const times = batch.map(() => soon);
    const outcomes = await Promise.all([0, 1, 2, 3].map(() => useOnce(suite.db, batch, times)));
    const wins = batch.map((_, index) => outcomes.filter(({ fresh }) => fresh[index]).length);
    expect(wins).toEqual(batch.map(() => 1));
  });

  test('the revision rises with what is remembered of members and federations, in the transaction that changes it', async () => {
    const federation = await someFederation(suite.db);
    await someMember(suite.db, federation);
    const revision = async () => (await useOnce(suite.db, [], [])).revision;
    const before = await revision();
    await suite.db
      .transaction()
      .execute(async (trx) => {
        await revokeMember(trx, federation, 'plant-7');
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    expect(await revision()).toBe(before);
    await revokeMember(suite.db, federation, 'plant-7');
    expect(await revision()).toBeGreaterThan(before);
  });

  test('expired tokens are forgotten, others are not', async () => {
    const old = new Date(Date.now() - 600_000);
    await useOnce(suite.db, ['old', 'young'], [old, inAnHour()]);
    // The first time it is written down up to when tokens are forgotten, the second time they are.
    for (let i = 0; i < 2; i++) await forgetExpiredTokens(suite.db);
    const { fresh, forgotten } = await useOnce(suite.db, ['old', 'young'], [inAnHour(), inAnHour()]);
    expect(fresh).toEqual([true, false]);
    expect(forgotten.getTime()).toBeGreaterThan(old.getTime());
  });

  test('the audit log lists by federation, after an entry, and keeps what it has', async () => {
    const federation = await someFederation(suite.db);
    const first = await appendAudit(suite.db, { federation, actor: 'a', action: 'push', details: { size: 3 } });
    const second = await appendAudit(suite.db, { federation, actor: 'b', action: 'push' });
    await appendAudit(suite.db, { federation: null, actor: 'server', action: 'start' });
    expect(await listAudit(suite.db, { federation })).toEqual([first, second]);
    expect(await listAudit(suite.db, { federation, after: first.id })).toEqual([second]);
    expect(await listAudit(suite.db, { limit: 1 })).toHaveLength(1);
    expect(first).toMatchObject({ actor: 'a', details: { size: 3 } });
    expect(typeof first.id).toBe('number');
  });

  test.each(['update audit set actor = null', 'delete from audit', 'truncate audit'])('refuses: %s', async (text) => {
    await appendAudit(suite.db, { federation: null, actor: 'server', action: 'start' });
    const before = await listAudit(suite.db);
    await expect(sql.raw(text).execute(suite.db)).rejects.toThrow('append-only');
    expect(await listAudit(suite.db)).toEqual(before);
  });
});
