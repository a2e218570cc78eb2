// [coordinator] Members and their keys. Revoked ones stay, so that their keys never count again.
import { randomUUID } from 'node:crypto';
import { F3Error } from '../errors.ts';
import type { Role } from '../exchange/messages.ts';
import type { Db, MemberRow } from './schema.ts';

export interface MemberKey {
  /** Thumbprint of the public key. */
  keyId: string;
  /** JWK. */
  publicKey: object;
}

export interface NewMember extends MemberKey {
  /** Null for operators. */
  federation: string | null;
  owner: string;
  role: Role;
}

export async function addMember(db: Db, { federation, owner, role, keyId, publicKey }: NewMember): Promise<MemberRow> {
  // A key that its member replaced must not come back, under that name or another.
  const before = await findMemberByKeyId(db, keyId);
  if (before?.keyEnds) throw knownKey(owner);
  const row = await db
    .insertInto('members')
    .values({ id: randomUUID(), federation, owner, role, keyId, publicKey: JSON.stringify(publicKey) })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row) return row;
  if (await findMember(db, federation, owner)) takenName(federation, owner);
  throw knownKey(owner);
}

const knownKey = (owner: string) =>
  new F3Error('F3_MEMBER_EXISTS', `member ${owner}: key must be new, got one that was enrolled before`);

/**
 * Finds revoked members too; `revoked` says so. A member is also found by a key that it has replaced; the row then has that
 * key, and `keyEnds` says until when it is accepted.
 */
export async function findMemberByKeyId(db: Db, keyId: string): Promise<MemberRow | undefined> {
  const found = await db
    .selectFrom('members')
    .leftJoin('formerKeys', (join) =>
      join.onRef('formerKeys.member', '=', 'members.id').on('formerKeys.keyId', '=', keyId),
    )
    .selectAll('members')
    .select(['formerKeys.publicKey as formerKey', 'formerKeys.ends'])
    .where((row) =>
      row.or([
        row('members.keyId', '=', keyId),
        row('members.id', 'in', row.selectFrom('formerKeys').select('member').where('keyId', '=', keyId)),
      ]),
    )
    .executeTakeFirst();
  if (!found) return undefined;
  const { formerKey, ends, ...member } = found;
  return formerKey && ends ? { ...member, keyId, publicKey: formerKey, keyEnds: ends } : member;
}

/** Finds the member of that name that is not revoked. */
export function findMember(db: Db, federation: string | null, owner: string): Promise<MemberRow | undefined> {
  return db
    .selectFrom('members')
    .selectAll()
    .where('federation', 'is not distinct from', federation)
    .where('owner', '=', owner)
    .where('revoked', 'is', null)
    .executeTakeFirst();
}

/** Until the transaction ends nobody can revoke the member, so that whatever is acknowledged was sent by a valid key. */
export async function lockMember(trx: Db, id: string): Promise<void> {
  const { owner, revoked } = await trx
    .selectFrom('members')
    .select(['owner', 'revoked'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  if (revoked) throw new F3Error('F3_AUTH_REVOKED', `member ${owner}: must not be revoked, got a revoked key`);
}

export async function revokeMember(
  db: Db,
  federation: string | null,
  owner: string,
  now: Date = new Date(),
): Promise<MemberRow> {
  const row = await db
    .updateTable('members')
    // Where it was is nobody's business any more.
    .set({ revoked: now, latitude: null, longitude: null })
    .where('federation', 'is not distinct from', federation)
    .where('owner', '=', owner)
    .where('revoked', 'is', null)
    .returningAll()
    .executeTakeFirst();
  if (row) return row;
  const rule = `must be enrolled ${place(federation)}`;
  throw new F3Error('F3_MEMBER_UNKNOWN', `member ${owner}: ${rule}, got nobody of that name`);
}

/** Whoever has left counts as well. */
export async function isMemberRevoked(db: Db, id: string): Promise<boolean> {
  const member = await db.selectFrom('members').select('revoked').where('id', '=', id).executeTakeFirst();
  return member === undefined || member.revoked !== null;
}

/** Lists members in the order they joined, revoked ones included. Null stands for the operators. */
export function listMembers(db: Db, federation: string | null): Promise<MemberRow[]> {
  return db
    .selectFrom('members')
    .selectAll()
    .where('federation', 'is not distinct from', federation)
    .orderBy('joined')
    .orderBy('id')
    .execute();
}

export function takenName(federation: string | null, owner: string): never {
  const rule = `name must be free ${place(federation)}`;
  throw new F3Error('F3_MEMBER_EXISTS', `member ${owner}: ${rule}, got one with a valid key`);
}

const place = (federation: string | null) =>
  federation === null ? 'among the operators' : `in federation ${federation}`;
