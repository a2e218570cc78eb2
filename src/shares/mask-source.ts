// [entity] Pseudorandom sharing of masks and of zeros without a message (Cramer, Damgård, Ishai 2005): every set of m − t entities has a key,
// AES-128 in counter mode makes its numbers, and each entity adds up what the sets it belongs to give to its point.
import { createCipheriv, hkdfSync } from 'node:crypto';
import { F3Error } from '../errors.ts';
import { type Field, NUMBER_BYTES, type Numbers } from './field.ts';
import type { Scheme } from './scheme.ts';

/** Keys of the sets that an entity belongs to, 32 bytes each, by the set's members: '1 2' for entities 1 and 2. */
export type SetKeys = ReadonlyMap<string, Uint8Array>;

/** The name of a set in `SetKeys`. */
export const setName = (members: readonly number[]): string => members.join(' ');

const ZEROS = Buffer.alloc(1 << 20);

interface KeyedSet {
  key: Uint8Array;
  /** What the set's numbers r and ρ count for this entity: f(j), then the factors of zeros. */
  constants: bigint[];
}

/** Which masks: no two openings of one session have the same place. */
export interface MaskPlace {
  step: number;
  /** Number of the opening within the step. */
  opening: number;
}

/** The masks of one session, which nobody outside all of an entity's sets can tell from random numbers. */
export class MaskSource {
  readonly #field: Field;
  readonly #sets: KeyedSet[];
  readonly #zeros: number;

  /** `session` names what is computed: two sessions have no mask in common. */
  constructor(field: Field, scheme: Scheme, entity: number, keys: SetKeys, session: string) {
    this.#field = field;
    this.#zeros = scheme.threshold;
    this.#sets = scheme.setsOf(entity).map((index) => {
      const name = setName(scheme.sets[index]);
      const key = keys.get(name);
      if (key?.length !== 32) {
        const found = key ? `${key.length} bytes` : 'none';
        throw new F3Error(
          'F3_SHARES_KEY',
          `entity ${entity}: the key of entities ${name} must have 32 bytes, got ${found}`,
        );
      }
      const constants = [scheme.setValue(index, entity), ...scheme.zeroFactors(index, entity)];
      return { key: new Uint8Array(hkdfSync('sha256', key, '', `f3 shares ${session}`, 16)), constants };
    });
  }

  /**
   * Shares of degree 2t of masks r, each the sum over all sets of whole numbers below 2^bits, and shares of degree t of the sum of
   * their ⌊· / 2^shift⌋.
   */
  masks(place: MaskPlace, count: number, bits: number, shift: number): { masks: Numbers; quotients: Numbers } {
    const masks = this.#field.temporary(count);
    const quotients = this.#field.temporary(count);
    this.#add(place, count, bits, shift, masks, quotients.address);
    return { masks, quotients };
  }

  /** Shares of degree 2t of small whole numbers, for an opening whose last bits nobody needs. */
  dither(place: MaskPlace, count: number, bits: number): Numbers {
    const masks = this.#field.temporary(count);
    this.#add(place, count, bits, 0, masks, 0);
    return masks;
  }

  #add(place: MaskPlace, count: number, bits: number, shift: number, masks: Numbers, quotients: number): void {
    const { engine } = this.#field;
    const bytes = count * (this.#zeros + 1) * NUMBER_BYTES;
    const stream = this.#field.temporary(count * (this.#zeros + 1));
    for (const [index, { key, constants }] of this.#sets.entries()) {
      this.#fill(key, place, stream, bytes);
      const factors = this.#field.temporary(constants.length);
      constants.forEach((value, i) => {
        this.#field.bytes(this.#field.part(factors, i, 1)).set(this.#field.bytes(this.#field.constant(value)));
      });
      const tasks = Math.ceil(count / PER_TASK);
      const sizes = [PER_TASK, count, this.#zeros, bits, shift] as const;
      const addresses = [stream.address, factors.address, index === 0 ? 1 : 0, masks.address, quotients] as const;
      engine.run('maskShares', tasks, ...sizes, ...addresses);
    }
  }

  /** The key stream from the place's first block on. The counter's upper half is the place, its lower half counts blocks. */
  #fill(key: Uint8Array, { step, opening }: MaskPlace, stream: Numbers, bytes: number): void {
    const counter = Buffer.alloc(16);
    counter.writeUInt32BE(step, 0);
    counter.writeUInt32BE(opening, 4);
    const cipher = createCipheriv('aes-128-ctr', key, counter);
    const to = this.#field.bytes(stream);
    for (let at = 0; at < bytes; at += ZEROS.length) {
      to.set(cipher.update(bytes - at < ZEROS.length ? ZEROS.subarray(0, bytes - at) : ZEROS), at);
    }
  }
}

const PER_TASK = 4096;
