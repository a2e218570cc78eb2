// Masks and truncation of shares that are opened, in the field 2^127 − 1. A task is a stretch of numbers.
import { smallSign, storeConstantProduct, storeDifference, storeSum } from './field';

const TOP: u64 = 0x7fffffffffffffff;

/** Adds c·x to the number at `to`, or stores it there if `fresh`. */
// @ts-ignore: decorator
@inline
function addProduct(to: usize, x0: u64, x1: u64, c0: u64, c1: u64, small: u64, sign: i32, fresh: i32): void {
  const had0 = load<u64>(to), had1 = load<u64>(to, 8);
  storeConstantProduct(to, x0, x1, c0, c1, small, sign);
  if (!fresh) storeSum(to, load<u64>(to), load<u64>(to, 8), had0, had1);
}

/**
 * What one set of parties adds to a party's pseudorandom shares (Cramer, Damgård, Ishai 2005). `stream` holds per number
 * `zeros` random numbers ρ and then one r, 16 bytes each; `constants` holds f(α), then the factors of ρ, which are 0 at 0 and outside the set.
 * mask += f(α)·r + Σ c_l·ρ_l with r cut to `bits` bits; quotient += f(α)·⌊r / 2^shift⌋, unless `quotients` is 0. With `fresh`, both are overwritten.
 */
export function maskShares(
  task: i32, perTask: i32, count: i32, zeros: i32, bits: i32, shift: i32, stream: usize, constants: usize,
  fresh: i32, masks: usize, quotients: usize,
): void {
  const end = min(count, (task + 1) * perTask);
  const keep0: u64 = bits >= 64 ? ~(<u64>0) : ((<u64>1) << <u64>bits) - 1;
  const keep1: u64 = bits > 64 ? ((<u64>1) << <u64>(bits - 64)) - 1 : 0;
  const step = <usize>(zeros + 1) << 4;
  const f0 = load<u64>(constants), f1 = load<u64>(constants, 8);
  const sign = smallSign(f0, f1);
  const small = sign < 0 ? ~f0 : f0;
  for (let i = task * perTask; i < end; i++) {
    const to = masks + (<usize>i << 4);
    let from = stream + <usize>i * step;
    for (let l = 0; l < zeros; l++) {
      const c = constants + (<usize>(l + 1) << 4);
      const c0 = load<u64>(c), c1 = load<u64>(c, 8);
      const way = smallSign(c0, c1);
      addProduct(to, load<u64>(from), load<u64>(from, 8) & TOP, c0, c1, way < 0 ? ~c0 : c0, way, fresh && l == 0 ? 1 : 0);
      from += 16;
    }
    const r0 = load<u64>(from) & keep0, r1 = load<u64>(from, 8) & keep1;
    addProduct(to, r0, r1, f0, f1, small, sign, 0);
    if (!quotients) continue;
    addProduct(quotients + (<usize>i << 4), shiftedLow(r0, r1, shift), shiftedHigh(r1, shift), f0, f1, small, sign, fresh);
  }
}

// @ts-ignore: decorator
@inline
function shiftedLow(x0: u64, x1: u64, shift: i32): u64 {
  if (shift == 0) return x0;
  if (shift >= 64) return x1 >> <u64>(shift - 64);
  return (x0 >> <u64>shift) | (x1 << <u64>(64 - shift));
}

// @ts-ignore: decorator
@inline
function shiftedHigh(x1: u64, shift: i32): u64 {
  return shift >= 64 ? 0 : x1 >> <u64>shift;
}

/**
 * out = ⌊opened / 2^shift⌋ − offset − quotient, the share of a truncated number; `offset` is the address of one number. Returns how many
 * opened numbers are above the number at `limit`: none is, unless a value was out of range.
 */
export function truncateOpened(
  count: i32, shift: i32, opened: usize, limit: usize, offset: usize, quotients: usize, out: usize,
): i32 {
  const end = <usize>count << 4;
  const l0 = load<u64>(limit), l1 = load<u64>(limit, 8);
  const o0 = load<u64>(offset), o1 = load<u64>(offset, 8);
  let above = 0;
  for (let o: usize = 0; o < end; o += 16) {
    const c0 = load<u64>(opened + o), c1 = load<u64>(opened + o, 8);
    above += <i32>(c1 > l1 || (c1 == l1 && c0 > l0));
    const to = out + o;
    storeDifference(to, shiftedLow(c0, c1, shift), shiftedHigh(c1, shift), o0, o1);
    storeDifference(to, load<u64>(to), load<u64>(to, 8), load<u64>(quotients + o), load<u64>(quotients + o, 8));
  }
  return above;
}
