// [owner] [entity] [coordinator] An admission: the coordinator states for an hour that a key is that of an owner of the federation.
import { z } from 'zod';
import { F3Error } from '../errors.ts';
import type { KeyPair } from '../exchange/identity/key-pair.ts';
import { readStatement, signStatement } from './signed-statement.ts';

const TYPE = 'f3-admission';
/** A revoked owner is shut out by every entity after so long. */
const SECONDS = 3600;
/** How far the entity's clock may be behind the coordinator's. */
const SKEW_SECONDS = 300;

const admissionSchema = z.object({
  charter: z.string(),
  owner: z.string().min(1),
  /** Key id of the owner. */
  keyId: z.string(),
  issued: z.number().int(),
});

/** Who was admitted where. */
export type Admission = z.infer<typeof admissionSchema>;

export function admit(
  coordinator: KeyPair,
  { charter, owner, keyId }: Omit<Admission, 'issued'>,
  now = new Date(),
): string {
  return signStatement(coordinator, TYPE, { charter, owner, keyId, issued: Math.floor(now.getTime() / 1000) });
}

/** Throws unless the coordinator admitted this key to this charter within the last hour. */
export async function readAdmission(
  statement: string,
  expected: { coordinator: string; charter: string; keyId: string },
  now = new Date(),
): Promise<Admission> {
  const { data } = admissionSchema.safeParse(await readStatement(statement, TYPE, expected.coordinator));
  const seconds = now.getTime() / 1000;
  if (!data || data.charter !== expected.charter || data.keyId !== expected.keyId) {
    throw refusal('must be for this charter and the key that calls, got one for another');
  }
  if (seconds > data.issued + SECONDS) throw refusal('must be less than an hour old, got an older one');
  if (data.issued > seconds + SKEW_SECONDS) throw refusal('must not be from the future: compare the clocks');
  return data;
}

const refusal = (rule: string): F3Error => new F3Error('F3_AUTH_FORBIDDEN', `admission: ${rule}`);
