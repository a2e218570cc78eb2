// [coordinator] One-time enrolment codes, kept as their hash.
import { randomBytes } from 'node:crypto';
import { F3Error } from '../errors.ts';
import { sha256 } from '../sha256.ts';
import { requireFederation } from './federations.ts';
import { inTransaction } from './in-transaction.ts';
import { addMember, findMember, findMemberByKeyId, type MemberKey, takenName } from './members.ts';
import type { Db, Member, Role } from './schema.ts';

export interface NewInvitation {
  federation: string;
  owner: string;
  role: Role;
  expires: Date;
}

/** The code is returned this once and stored nowhere. */
export async function createInvitation(db: Db, invitation: NewInvitation): Promise<{ code: string; expires: Date }> {
  const { federation, owner, role, expires } = invitation;
  await requireFederation(db, federation);
  if (await findMember(db, federation, owner)) takenName(federation, owner);
  const code = randomBytes(20).toString('base64url');
  await db
    .insertInto('invitations')
    .values({ codeHash: sha256(code), federation, owner, role, expires })
    .execute();
  return { code, expires };
}

/**
 * Once, and not after it expired. The same key may redeem it again and gets the same member: an owner whose line dropped
 * before the answer has to ask again.
 */
export function redeemInvitation(db: Db, code: string, key: MemberKey, now: Date = new Date()): Promise<Member> {
  const codeHash = sha256(code);
  return inTransaction(db, async (trx) => {
    const invitation = await trx
      .selectFrom('invitations')
      .selectAll()
      .where('codeHash', '=', codeHash)
      .forUpdate()
      .executeTakeFirst();
    if (!invitation) throw refusal('an unknown one');
    if (invitation.member !== null) {
      const member = await findMemberByKeyId(trx, key.keyId);
      if (member?.id === invitation.member && member.revoked === null) return member;
      throw refusal('one that was used');
    }
    if (invitation.expires <= now) throw refusal(`one that expired at ${invitation.expires.toISOString()}`);
    const { federation, owner, role } = invitation;
    const member = await addMember(trx, { federation, owner, role, ...key });
    await trx.updateTable('invitations').set({ member: member.id }).where('codeHash', '=', codeHash).execute();
    return member;
  });
}

const refusal = (got: string) => new F3Error('F3_INVITATION', `enrolment code: must be new and valid, got ${got}`);
