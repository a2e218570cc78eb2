// [coordinator] Static tokens that may predict in one federation. Only the hash of each is kept.
import { randomBytes, randomUUID } from 'node:crypto';
import { sha256 } from '../base/sha256.ts';
import { F3Error } from '../errors.ts';
import type { Db, InferenceTokenRow } from './schema.ts';

/** How every secret begins, so that people and scanners know one when they see it. */
export const INFERENCE_TOKEN_PREFIX = 'f3t_';
const SECRET_BYTES = 32;
const SECRET = /^f3t_[\w-]{43}$/;

export interface NewInferenceToken {
  federation: string;
  name: string;
  /** Name of the member who makes it. */
  createdBy: string;
  /** Null: never. */
  expires: Date | null;
}

export interface IssuedInferenceToken extends InferenceTokenRow {
  /** Shown this once and stored nowhere. */
  secret: string;
}

export async function createInferenceToken(db: Db, token: NewInferenceToken): Promise<IssuedInferenceToken> {
  const { secret, hash } = newSecret();
  const row = await db
    .insertInto('inferenceTokens')
    .values({ id: randomUUID(), ...token, hash })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row) return { ...row, secret };
  const rule = `name must be free in federation ${token.federation}`;
  throw new F3Error('F3_TOKEN_EXISTS', `inference token ${token.name}: ${rule}, got one that is taken`);
}

/** Another secret instead of one that got lost on its way; the lost one is void. */
export async function renewInferenceToken(db: Db, id: string): Promise<IssuedInferenceToken> {
  const { secret, hash } = newSecret();
  const row = await db
    .updateTable('inferenceTokens')
    .set({ hash })
    .where('id', '=', id)
    .where('revoked', 'is', null)
    .returningAll()
    .executeTakeFirst();
  if (row) return { ...row, secret };
  throw unknownToken(id);
}

/** Those that are not revoked, by name; expired ones included. */
export function listInferenceTokens(db: Db, federation: string): Promise<InferenceTokenRow[]> {
  return db
    .selectFrom('inferenceTokens')
    .selectAll()
    .where('federation', '=', federation)
    .where('revoked', 'is', null)
    .orderBy('name')
    .execute();
}

export async function revokeInferenceToken(
  db: Db,
  federation: string,
  id: string,
  now: Date = new Date(),
): Promise<InferenceTokenRow> {
  const row = await db
    .updateTable('inferenceTokens')
    .set({ revoked: now })
    .where('federation', '=', federation)
    .where('id', '=', id)
    .where('revoked', 'is', null)
    .returningAll()
    .executeTakeFirst();
  if (row) return row;
  throw unknownToken(id);
}

/**
 * Finds revoked and expired ones too. A token is found by the hash of what was shown: how long that takes tells at most about
 * a hash, from which nobody comes back to 256 random bits.
 */
export function findInferenceToken(db: Db, hash: string): Promise<InferenceTokenRow | undefined> {
  return db.selectFrom('inferenceTokens').selectAll().where('hash', '=', hash).executeTakeFirst();
}

/** The hash of a secret; undefined for a text that cannot be one. */
export const inferenceTokenHash = (secret: string): string | undefined =>
  SECRET.test(secret) ? sha256(secret) : undefined;

/** The time never goes back, although several processes may write it. */
export async function touchInferenceToken(db: Db, id: string, used: Date): Promise<void> {
  await db
    .updateTable('inferenceTokens')
    .set({ lastUsed: used })
    .where('id', '=', id)
    .where((row) => row.or([row('lastUsed', 'is', null), row('lastUsed', '<', used)]))
    .execute();
}

function newSecret(): { secret: string; hash: string } {
  const secret = `${INFERENCE_TOKEN_PREFIX}${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return { secret, hash: sha256(secret) };
}

const unknownToken = (id: string) =>
  new F3Error('F3_TOKEN_UNKNOWN', `inference token ${id}: must exist and not be revoked, got an unknown one`);
