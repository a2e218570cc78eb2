// [wire] Finds texts that occur twice among millions, in 16 bytes of memory per text: hashes are sorted, and only texts with
// equal hashes are compared.
import { keyedHash } from './keyed-hash.ts';

/** So many hashes that occur twice are looked into. More of them are the same mistake again. */
const MOST_GROUPS = 1000;
/** The most rows that are looked into. */
const MOST_SUSPECTS = 10_000;

export interface Suspects {
  /** Rows, ascending, whose hash occurs in another row as well. */
  rows: number[];
  /** How many rows repeat the hash of an earlier one. */
  repeats: number;
}

export class RepeatedTexts {
  #words = new Uint32Array(2048);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(text: string): void {
    if (2 * this.#length === this.#words.length) {
      const larger = new Uint32Array(2 * this.#words.length);
      larger.set(this.#words);
      this.#words = larger;
    }
    keyedHash(text, this.#words, 2 * this.#length++);
  }

  /** Rows that may hold a text twice. Only a comparison of the texts themselves tells. */
  suspects(): Suspects {
    const hashes = new BigUint64Array(this.#words.buffer, 0, this.#length);
    const sorted = hashes.slice().sort();
    const groups = new Set<bigint>();
    let repeats = 0;
    for (let i = 1; i < sorted.length; i++) {
      if (sorted[i] !== sorted[i - 1]) continue;
      repeats++;
      if (groups.size < MOST_GROUPS) groups.add(sorted[i]);
    }
    const rows: number[] = [];
    if (repeats === 0) return { rows, repeats };
    for (let row = 0; row < hashes.length && rows.length < MOST_SUSPECTS; row++) {
      if (groups.has(hashes[row])) rows.push(row);
    }
    return { rows, repeats };
  }
}
