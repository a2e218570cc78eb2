// [coordinator] The sets of samples that scores were told of, by label holder. The difference between two scores tells about the
// samples by which their sets differ, so sets that differ by a few samples are not both told of (Denning et al. 1979).
import { sha256 } from '../base/sha256.ts';
import type { Db } from './schema.ts';

/** Bytes per sample: the beginning of the SHA-256 of its id. */
export const ID_BYTES = 8;

/**
 * Returns whether scores on this set may be told, and keeps the set if so. `ids` are the hashed ids in ascending order. The
 * caller has locked the holder, so that of two sets at once the second is compared with the first.
 */
export async function admitPart(trx: Db, holder: string, ids: Uint8Array, leastDifference: number): Promise<boolean> {
  const hash = sha256(ids);
  const known = await trx.selectFrom('scoredParts').selectAll().where('holder', '=', holder).execute();
  if (known.some((part) => part.sha256 === hash)) return true;
  if (known.some((part) => difference(ids, part.ids, leastDifference) < leastDifference)) return false;
  await trx.insertInto('scoredParts').values({ holder, sha256: hash, ids }).execute();
  return true;
}

/** How many ids are in one of the sets only; counting stops at `enough`. */
export function difference(first: Uint8Array, second: Uint8Array, enough = Number.POSITIVE_INFINITY): number {
  const [a, b] = [numbersOf(first), numbersOf(second)];
  let [i, j, count] = [0, 0, 0];
  while (i < a.length && j < b.length && count < enough) {
    if (a[i] === b[j]) {
      i++;
      j++;
      continue;
    }
    count++;
    if (a[i] < b[j]) i++;
    else j++;
  }
  return count + (a.length - i) + (b.length - j);
}

/** Copies the bytes, because what the database returns need not lie on a multiple of eight. */
const numbersOf = (bytes: Uint8Array): BigUint64Array => new BigUint64Array(Uint8Array.from(bytes).buffer);
