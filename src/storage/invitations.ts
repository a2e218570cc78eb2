// [coordinator] One-time enrolment codes, kept as their hash.
import { randomBytes } from 'node:crypto';
import { sha256 } from '../base/sha256.ts';
import { type ErrorCode, F3Error } from '../errors.ts';
import { nameSkeleton } from '../exchange/bundle/lookalike-names.ts';
import type { Role } from '../exchange/messages.ts';
import { inTransaction } from './database/in-transaction.ts';
import { requireFederation } from './federations.ts';
import { addMember, findMember, findMemberByKeyId, type MemberKey, takenName } from './members.ts';
import type { Db, InvitationRow, MemberRow } from './schema.ts';

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
  // Nor may the name be that of an operator of the whole server, because the audit log knows members by name alone.
  for (const place of [federation, null]) if (await findMember(db, place, owner)) takenName(place, owner);
  await requireNoDouble(db, federation, owner);
  const code = newCode();
  await db
    .insertInto('invitations')
    .values({ ...code.kept, federation, owner, role, expires })
    .execute();
  return { code: code.text, ...code.kept, expires };
}

/** Refuses a name that looks like that of another member or of somebody who is invited. */
async function requireNoDouble(db: Db, federation: string, owner: string): Promise<void> {
  const members = db
    .selectFrom('members')
    .select('owner')
    .where((row) => row.or([row('federation', '=', federation), row('federation', 'is', null)]))
    .where('revoked', 'is', null);
  const invited = db
    .selectFrom('invitations')
    .select('owner')
    .where('federation', '=', federation)
    .where('member', 'is', null)
    .where('cancelled', 'is', null);
  const names = await members.union(invited).execute();
  const double = names.find((one) => one.owner !== owner && nameSkeleton(one.owner) === nameSkeleton(owner));
  if (!double) return;
  const rule = `must not look like another's in federation ${federation}`;
  throw new F3Error('F3_MEMBER_EXISTS', `member ${owner}: name ${rule}, got the double of ${double.owner}`);
}

/** Issues another code instead of one that got lost on its way; the lost one is void. */
export async function renewInvitation(db: Db, codeHash: string): Promise<IssuedInvitation> {
  const { text, kept } = newCode();
  const renewed = await db
    .updateTable('invitations')
    .set(kept)
    .where('codeHash', '=', codeHash)
    .where('member', 'is', null)
    .where('cancelled', 'is', null)
    .returning('expires')
    .executeTakeFirst();
  if (!renewed) throw refusal('F3_INVITATION_USED', 'one that was used or cancelled');
  return { code: text, ...kept, expires: renewed.expires };
}

function newCode(): { text: string; kept: { codeHash: string } } {
  const text = randomBytes(20).toString('base64url');
  return { text, kept: { codeHash: sha256(text) } };
}

/** Says of each code whether there is such an invitation, used or not. */
export async function knownCodes(db: Db, codes: readonly string[]): Promise<boolean[]> {
  const hashes = codes.map((code) => sha256(code));
  const rows = await db.selectFrom('invitations').select('codeHash').where('codeHash', 'in', hashes).execute();
  const known = new Set(rows.map(({ codeHash }) => codeHash));
  return hashes.map((hash) => known.has(hash));
}

/**
 * A code is good once, and not after it expired. The same key may redeem it again and gets the same member, because an owner
 * whose line dropped before the answer has to ask again.
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
    if (!invitation) throw unknownCode();
    if (invitation.member !== null) {
      const member = await findMemberByKeyId(trx, key.keyId);
      if (member?.id === invitation.member && member.revoked === null) return { member, isNew: false };
      throw refusal('F3_INVITATION_USED', 'one that was used');
    }
    if (invitation.cancelled) throw refusal('F3_INVITATION_CANCELLED', 'one that the operator cancelled');
    if (invitation.expires <= now) {
      throw refusal('F3_INVITATION_EXPIRED', `one that expired at ${invitation.expires.toISOString()}`);
    }
    const { federation, owner, role } = invitation;
    const member = await addMember(trx, { federation, owner, role, ...key });
    await trx.updateTable('invitations').set({ member: member.id }).where('codeHash', '=', codeHash).execute();
    return { member, isNew: true };
  });
}

/** Lists those that are neither redeemed nor cancelled, also when they have expired; the oldest first. */
export function listOpenInvitations(db: Db, federation: string): Promise<InvitationRow[]> {
  return db
    .selectFrom('invitations')
    .selectAll()
    .where('federation', '=', federation)
    .where('member', 'is', null)
    .where('cancelled', 'is', null)
    .orderBy('created')
    .orderBy('id')
    .execute();
}

/** The code of a cancelled invitation lets nobody in any more. */
export async function cancelInvitation(
  db: Db,
  federation: string,
  id: string,
  now: Date = new Date(),
): Promise<InvitationRow> {
  const row = await db
    .updateTable('invitations')
    .set({ cancelled: now })
    .where('federation', '=', federation)
    .where('id', '=', id)
    .where('member', 'is', null)
    .where('cancelled', 'is', null)
    .returningAll()
    .executeTakeFirst();
  if (row) return row;
  const rule = `must be open in federation ${federation}`;
  throw new F3Error('F3_INVITATION_UNKNOWN', `invitation ${id}: ${rule}, got none that is`);
}

/**
 * Cancels all codes under a name that nobody has used, because whoever has one could come back with it. Gives how many there
 * were. It is called before the member of that name is revoked, since redeeming a code locks the rows in this order too.
 */
export async function cancelInvitationsOf(
  trx: Db,
  federation: string,
  owner: string,
  now = new Date(),
): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('invitations')
    .set({ cancelled: now })
    .where('federation', '=', federation)
    .where('owner', '=', owner)
    .where('member', 'is', null)
    .where('cancelled', 'is', null)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Removes codes that nobody used in time and nobody will ask about again. */
export async function removeOldInvitations(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('invitations').where('member', 'is', null).where('expires', '<', before).execute();
}

const refusal = (code: ErrorCode, got: string) =>
  new F3Error(code, `enrolment code: must be new and valid, got ${got}`);

export const unknownCode = (): F3Error => refusal('F3_INVITATION', 'an unknown one');
