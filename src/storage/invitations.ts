// [coordinator] One-time enrolment codes, kept as their hash.
import { randomBytes } from 'node:crypto';
import { sha256 } from '../base/sha256.ts';
import { type ErrorCode, F3Error } from '../errors.ts';
import type { Role } from '../exchange/messages.ts';
import { inTransaction } from './database/in-transaction.ts';
import { requireFederation } from './federations.ts';
import { addMember, findMember, findMemberByKeyId, type MemberKey, takenName } from './members.ts';
import type { Db, MemberRow } from './schema.ts';

export interface NewInvitation {
  federation: string;
  owner: string;
  role: Role;
  expires: Date;
}

export interface IssuedInvitation {
  code: string;
  codeHash: string;
  expires: Date;
}

/** The code is returned this once and stored nowhere. */
export async function createInvitation(db: Db, invitation: NewInvitation): Promise<IssuedInvitation> {
  const { federation, owner, role, expires } = invitation;
  await requireFederation(db, federation);
  // Nor may it be an operator's of the whole server: the audit log knows them by name alone.
  for (const place of [federation, null]) if (await findMember(db, place, owner)) takenName(place, owner);
  const code = newCode();
  await db
    .insertInto('invitations')
    .values({ ...code.kept, federation, owner, role, expires })
    .execute();
  return { code: code.text, ...code.kept, expires };
}

/** Another code instead of one that got lost on its way; the lost one is void. */
export async function renewInvitation(db: Db, codeHash: string): Promise<IssuedInvitation> {
  const { text, kept } = newCode();
  const renewed = await db
    .updateTable('invitations')
    .set(kept)
    .where('codeHash', '=', codeHash)
    .where('member', 'is', null)
    .returning('expires')
    .executeTakeFirst();
  if (!renewed) throw refusal('F3_INVITATION_USED', 'one that was used');
  return { code: text, ...kept, expires: renewed.expires };
}

function newCode(): { text: string; kept: { codeHash: string } } {
  const text = randomBytes(20).toString('base64url');
  return { text, kept: { codeHash: sha256(text) } };
}

/**
 * Once, and not after it expired. The same key may redeem it again and gets the same member: an owner whose line dropped
 * before the answer has to ask again.
 */
export function redeemInvitation(
  db: Db,
  code: string,
  key: MemberKey,
  now: Date = new Date(),
): Promise<{ member: MemberRow; isNew: boolean }> {
  const codeHash = sha256(code);
  return inTransaction(db, async (trx) => {
    const invitation = await trx
      .selectFrom('invitations')
      .selectAll()
      .where('codeHash', '=', codeHash)
      .forUpdate()
      .executeTakeFirst();
    if (!invitation) throw refusal('F3_INVITATION', 'an unknown one');
    if (invitation.member !== null) {
      const member = await findMemberByKeyId(trx, key.keyId);
      if (member?.id === invitation.member && member.revoked === null) return { member, isNew: false };
      throw refusal('F3_INVITATION_USED', 'one that was used');
    }
    if (invitation.expires <= now) {
      throw refusal('F3_INVITATION_EXPIRED', `one that expired at ${invitation.expires.toISOString()}`);
    }
    const { federation, owner, role } = invitation;
    const member = await addMember(trx, { federation, owner, role, ...key });
    await trx.updateTable('invitations').set({ member: member.id }).where('codeHash', '=', codeHash).execute();
    return { member, isNew: true };
  });
}

const refusal = (code: ErrorCode, got: string) =>
  new F3Error(code, `enrolment code: must be new and valid, got ${got}`);
