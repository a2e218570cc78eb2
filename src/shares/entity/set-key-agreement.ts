// [entity] Keys of the sets that masks come from. Every member of a set draws 32 bytes and tells the others over the line between them;
// the key is HKDF of all contributions, so it is good if one member's is. Lines are TLS 1.3 (X25519), each end known by its key.
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { F3Error } from '../../errors.ts';
import { type SetKeys, setName } from '../mask-source.ts';
import type { Scheme } from '../scheme.ts';
import { writeSettled } from './settled-files.ts';

const KEY_BYTES = 32;
const contribution = z.string().regex(/^[\w-]{43}$/);
const storedSchema = z.strictObject({
  /** By set, then by member. */
  contributions: z.record(z.string(), z.record(z.string(), contribution)),
});

/** One entity's part of all keys of a federation. */
export class SetKeyAgreement {
  readonly #file: string;
  readonly #entity: number;
  readonly #charter: string;
  /** Members of each set this entity is in, by the set's name. */
  readonly #sets: Map<string, readonly number[]>;
  readonly #contributions: Record<string, Record<string, string>>;

  /** The first time it draws this entity's contributions, and keeps them in `file`. */
  constructor(file: string, scheme: Scheme, entity: number, charter: string) {
    this.#file = file;
    this.#entity = entity;
    this.#charter = charter;
    this.#sets = new Map(scheme.setsOf(entity).map((index) => [setName(scheme.sets[index]), scheme.sets[index]]));
    this.#contributions = existsSync(file)
      ? storedSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).contributions
      : Object.fromEntries([...this.#sets.keys()].map((name) => [name, { [entity]: drawn() }]));
    if (!existsSync(file)) this.#save();
  }

  /** What this entity contributes to the sets that it has in common with `peer`. */
  forPeer(peer: number): Record<string, string> {
    const common = [...this.#sets].filter(([, members]) => members.includes(peer));
    return Object.fromEntries(common.map(([name]) => [name, this.#contributions[name][this.#entity]]));
  }

  /** Peers whose contributions are not here yet. */
  missing(): number[] {
    const peers = [...this.#sets].flatMap(([name, members]) =>
      members.filter((member) => this.#contributions[name][member] === undefined),
    );
    return [...new Set(peers)].sort((a, b) => a - b);
  }

  /** Takes what a peer contributes. The first word counts: a peer that lost its store is found out, not followed. */
  take(peer: number, given: Record<string, unknown>): void {
    for (const [name, members] of this.#sets) {
      if (!members.includes(peer)) continue;
      const { data } = contribution.safeParse(given[name]);
      const known = this.#contributions[name][peer];
      if (!data || (known !== undefined && known !== data)) {
        const found = data ? 'another one than before' : 'none';
        const rule = `entity ${peer}: its part of the key of entities ${name} must stay what it was`;
        throw new F3Error('F3_SHARES_KEY', `${rule}, got ${found}`);
      }
      this.#contributions[name][peer] = data;
    }
    this.#save();
  }

  /** Throws as long as a peer has contributed nothing. */
  keys(): SetKeys {
    const missing = this.missing();
    if (missing.length > 0) {
      const rule = `entity ${this.#entity}: must have agreed on keys with all other entities`;
      throw new F3Error('F3_SHARES_KEY', `${rule}, got nothing from ${missing.join(', ')}`);
    }
    return new Map(
      [...this.#sets].map(([name, members]) => {
        const parts = members.map((member) => Buffer.from(this.#contributions[name][member], 'base64url'));
        const info = `f3 set key ${name}`;
        return [name, new Uint8Array(hkdfSync('sha256', Buffer.concat(parts), this.#charter, info, KEY_BYTES))];
      }),
    );
  }

  /** A value per key that tells nothing of it, by which others see that all members have the same. */
  checks(): Record<string, string> {
    if (this.missing().length > 0) return {};
    return Object.fromEntries(
      [...this.keys()].map(([name, key]) => [
        name,
        createHmac('sha256', key).update('f3 set key check').digest('hex').slice(0, 32),
      ]),
    );
  }

  #save(): void {
    writeSettled(this.#file, `${JSON.stringify({ contributions: this.#contributions }, null, 2)}\n`);
  }
}

const drawn = (): string => randomBytes(KEY_BYTES).toString('base64url');
