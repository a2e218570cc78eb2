// [coordinator] Replaces the key of a member by one that the old key vouches for. The old one is accepted until a stated time.
import { F3Error } from '../errors.ts';
import { findMemberByKeyId, type MemberKey } from './members.ts';
import type { Db, FormerKeyRow, MemberRow } from './schema.ts';

export interface KeyRotation {
  /** Id of the member. */
  member: string;
  /** The key that signed the request. */
  signedBy: string;
  key: MemberKey;
  /** Until when the old key is accepted. */
  ends: Date;
}

export interface RotatedMember {
  former: FormerKeyRow;
  /** Whether the key was replaced just now, and not before. */
  isNew: boolean;
}

/**
 * The same new key again gives the same answer, because an answer may get lost. Only the current key can be replaced: whoever
 * found a former one cannot take the membership over.
 */
export async function rotateKey(
  trx: Db,
  { member: id, signedBy, key, ends }: KeyRotation,
  now = new Date(),
): Promise<RotatedMember> {
  const member = await lockKeys(trx, id);
  if (member.keyId === key.keyId) {
    const before = (await listFormerKeys(trx, id)).find(({ keyId }) => keyId === signedBy);
    if (before) return { former: before, isNew: false };
  }
  if (member.keyId !== signedBy) {
    const rule = 'its current key must sign for the next one';
    throw new F3Error('F3_AUTH_FORBIDDEN', `member ${member.owner}: ${rule}, got a former key`);
  }
  if (await findMemberByKeyId(trx, key.keyId)) {
    throw new F3Error('F3_MEMBER_EXISTS', `member ${member.owner}: key must be new, got one that was enrolled before`);
  }
  const publicKey = JSON.stringify(member.publicKey);
  const former = await trx
    .insertInto('formerKeys')
    .values({ keyId: member.keyId, member: id, publicKey, ends, revoked: ends <= now ? now : null })
    .returningAll()
    .executeTakeFirstOrThrow();
  const changes = { keyId: key.keyId, publicKey: JSON.stringify(key.publicKey) };
  await trx.updateTable('members').set(changes).where('id', '=', id).execute();
  return { former, isNew: true };
}

/** The newest first. */
export function listFormerKeys(db: Db, member: string): Promise<FormerKeyRow[]> {
  return db
    .selectFrom('formerKeys')
    .selectAll()
    .where('member', '=', member)
    .orderBy('replaced', 'desc')
    .orderBy('keyId')
    .execute();
}

/** A former key is refused from now on, whatever time was left to it. One whose time is over may be found stolen later. */
export async function endFormerKey(trx: Db, member: string, keyId: string, now = new Date()): Promise<FormerKeyRow> {
  const key = (await listFormerKeys(trx, member)).find((one) => one.keyId === keyId);
  if (!key) throw new F3Error('F3_KEY', `key ${keyId}: must be a former key of the member, got another`);
  if (key.revoked) return key;
  return trx
    .updateTable('formerKeys')
    .set({ ends: key.ends <= now ? key.ends : now, revoked: now })
    .where('keyId', '=', keyId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Whether its member said that it may be in other hands. A key that was replaced in good order is not revoked. */
export async function isKeyRevoked(db: Db, keyId: string): Promise<boolean> {
  const key = await db.selectFrom('formerKeys').select('revoked').where('keyId', '=', keyId).executeTakeFirst();
  return key !== undefined && key.revoked !== null;
}

/** Until the transaction ends nobody else replaces or revokes the key. */
async function lockKeys(trx: Db, id: string): Promise<MemberRow> {
  const member = await trx.selectFrom('members').selectAll().where('id', '=', id).forUpdate().executeTakeFirstOrThrow();
  if (!member.revoked) return member;
  throw new F3Error('F3_AUTH_REVOKED', `member ${member.owner}: must not be revoked, got a revoked key`);
}
