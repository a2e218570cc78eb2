// [owner] [entity] [coordinator] What an owner states of a shared bundle: its version, its size, and a commitment to each entity's share.
// Its hash, the root, names the bundle: whoever holds a share of that root holds a share of the same bundle of the same version.
import { z } from 'zod';
import { sha256 } from '../base/sha256.ts';
import { F3Error } from '../errors.ts';
import type { KeyPair } from '../exchange/identity/key-pair.ts';
import { NUMBER_BYTES } from './field.ts';
import { FRACTION_BITS } from './fixed-point.ts';
import { readStatement, signStatement } from './signed-statement.ts';

const TYPE = 'f3-shared-bundle';
/** Bytes of a salt: a commitment tells nothing of what it commits to. */
export const SALT_BYTES = 32;
/** Most bytes of one share. */
const MOST_BYTES = 4 * 2 ** 30;

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const manifestSchema = z.strictObject({
  format: z.literal('f3-shares-1'),
  /** Fingerprint of the charter. */
  charter: hash,
  owner: z.string().min(1).max(100),
  version: z.number().int().min(1),
  rows: z.number().int().min(1),
  width: z.number().int().min(1),
  fractionBits: z.number().int(),
  /** Where the numbers are codes of an embedding's numbers, made by the owner before it shared them. */
  coding: z
    .strictObject({
      encoding: z.literal('quantiles'),
      /** Numbers of the code of one number. */
      bins: z.number().int().min(2).max(256),
      /** Names the owner's bins and tells nothing of them: codes with the same id were made alike. */
      id: hash,
    })
    .optional(),
  /** Commitment to the list of sample ids, which only the coordinator sees. */
  samples: hash,
  /** Commitment to each entity's share, entity 1 first. */
  commitments: z.array(hash),
});

/** What an owner signs. */
export type ShareManifest = z.infer<typeof manifestSchema>;

/** What an owner states of the codes that it has shared in place of embeddings. */
export type StatedCoding = NonNullable<ShareManifest['coding']>;

/** The name under which a shared bundle is kept. */
export const manifestRoot = (statement: string): string => sha256(statement.split('.')[1] ?? '');

export function signManifest(keys: KeyPair, facts: Omit<ShareManifest, 'format' | 'fractionBits'>): string {
  return signStatement(keys, TYPE, { format: 'f3-shares-1', fractionBits: FRACTION_BITS, ...facts });
}

/** Checks signature, shape and that it is of this charter and owner. */
export async function readManifest(
  statement: string,
  expected: { charter: string; owner: string; keyId: string; entities: number },
): Promise<ShareManifest> {
  const { data, error } = manifestSchema.safeParse(await readStatement(statement, TYPE, expected.keyId));
  if (!data) {
    const { path, message } = error.issues[0];
    throw wrong(expected.owner, `must be one that f3 made, got ${path.join('.')}: ${message}`);
  }
  if (data.charter !== expected.charter) throw wrong(data.owner, 'must be of this charter, got one of another');
  if (data.owner !== expected.owner) throw wrong(expected.owner, `must be the caller's own, got that of ${data.owner}`);
  if (data.commitments.length !== expected.entities) {
    throw wrong(data.owner, `must commit to ${expected.entities} shares, got ${data.commitments.length}`);
  }
  if (data.fractionBits !== FRACTION_BITS) {
    throw wrong(data.owner, `numbers must have ${FRACTION_BITS} bits after the point, got ${data.fractionBits}`);
  }
  if (data.coding && data.width % data.coding.bins !== 0) {
    throw wrong(data.owner, `width must be a multiple of its ${data.coding.bins} bins, got ${data.width}`);
  }
  if (shareBytes(data) > MOST_BYTES) {
    throw wrong(data.owner, `a share must have at most ${MOST_BYTES} bytes, got ${shareBytes(data)}`);
  }
  return data;
}

/** Bytes of one entity's share. */
export const shareBytes = ({ rows, width }: Pick<ShareManifest, 'rows' | 'width'>): number =>
  rows * width * NUMBER_BYTES;

type Committed = Pick<ShareManifest, 'charter' | 'owner' | 'version'>;

/** What an owner commits to: this share, for this entity, of this version, under a salt that the entity alone gets. */
export const shareCommitment = (about: Committed, entity: number, salt: Uint8Array, share: Uint8Array): string =>
  sha256(commitmentHead(about, `share ${entity}`), salt, share);

/** The same for the list of sample ids. */
export const samplesCommitment = (about: Committed, salt: Uint8Array, samples: readonly string[]): string =>
  sha256(commitmentHead(about, 'samples'), salt, JSON.stringify(samples));

const commitmentHead = ({ charter, owner, version }: Committed, what: string): string =>
  `${JSON.stringify([TYPE, charter, owner, version, what])}\n`;

const wrong = (owner: string, rule: string): F3Error =>
  new F3Error('F3_SHARES_BUNDLE', `shared bundle of ${owner}: ${rule}`);
