// Matrix products in the field 2^127 − 1: C = A·B of shares, or of public whole numbers and shares.
//
// A number is written in balanced digits of 13 bits, −4096 … 4095, ten for a share and two for a public number. One instruction multiplies
// eight pairs of 16-bit digits and adds neighbours, so both operands keep neighbouring k together. Sums of up to 62 such pairs fit 32 bits;
// then they are added to 64-bit sums, one for each power of 2^13, which are reduced once per result.
//
// Packed A: [digit][row][pair of k][2], rows of a block of four one after another. Packed B: [tile of 8 columns][digit][pair of k][8][2].
import { storeSum, storeWide } from './field';
import { thread } from './thread';

const TILE_ROWS: i32 = 4;
const TILE_COLUMNS: i32 = 8;
/** Pairs of k per 32-bit sum: each is at most 2·4096², and 63 of them stay below 2^31. */
const PAIRS: i32 = 62;
export const SHARE_DIGITS: i32 = 10;
export const PUBLIC_DIGITS: i32 = 2;
/** Bytes of the sums of a tile: at most 19 powers, 32 results. */
const SUMS: usize = 19 * 32 * 8;

/** Balanced digits of the share at `from`, each `step` bytes after the other. */
// @ts-ignore: decorator
@inline
function storeShareDigits(from: usize, to: usize, step: usize): void {
  let low = load<u64>(from), high = load<u64>(from, 8);
  let carry: u64 = 0;
  for (let d = 0; d < SHARE_DIGITS; d++) {
    const digit = (low & 8191) + carry;
    carry = <u64>(digit > 4095);
    store<i16>(to, <i16>(<i32>digit - (<i32>carry << 13)));
    low = (low >> 13) | (high << 51);
    high >>= 13;
    to += step;
  }
}

/** Two balanced digits of the 32-bit whole number at `from`, below 2^25 in magnitude. */
// @ts-ignore: decorator
@inline
function storePublicDigits(from: usize, to: usize, step: usize): void {
  const value = load<i32>(from);
  const digit = ((value + 4096) & 8191) - 4096;
  store<i16>(to, <i16>digit);
  store<i16>(to + step, <i16>((value - digit) >> 13));
}

export function packedBytes(rows: i32, k: i32, digits: i32): i32 {
  return ((rows + 7) & ~7) * ((k + 1) & ~1) * digits * 2;
}

/** Packs B of stack `task`: B[k][column] lies at `b + task·stack + k·kStep + column·columnStep` (bytes). */
export function fieldPackColumns(
  task: i32, k: i32, columns: i32, b: usize, stack: i32, kStep: i32, columnStep: i32, packed: usize,
): void {
  const pairs = (k + 1) >> 1;
  const plane = <usize>(pairs * TILE_COLUMNS) << 2;
  const tiles = (columns + 7) >> 3;
  b += <usize>task * <usize>stack;
  packed += <usize>task * <usize>packedBytes(columns, k, SHARE_DIGITS);
  for (let tile = 0; tile < tiles; tile++) {
    const start = packed + <usize>tile * plane * SHARE_DIGITS;
    memory.fill(start, 0, plane * SHARE_DIGITS);
    const width = min(TILE_COLUMNS, columns - tile * TILE_COLUMNS);
    for (let at = 0; at < k; at++) {
      let from = b + <usize>at * <usize>kStep + <usize>(tile * TILE_COLUMNS) * <usize>columnStep;
      let to = start + (<usize>((at >> 1) * TILE_COLUMNS) << 2) + (<usize>(at & 1) << 1);
      for (let column = 0; column < width; column++) {
        storeShareDigits(from, to, plane);
        from += <usize>columnStep;
        to += 4;
      }
    }
  }
}

/** Packs rows from `row` on, `rows` of them; their number is rounded up to four with zeros. */
function packRows(
  row: i32, rows: i32, k: i32, digits: i32, a: usize, rowStep: usize, kStep: usize, packed: usize,
): void {
  const pairs = (k + 1) >> 1;
  const line = <usize>pairs << 2;
  const padded = (rows + 3) & ~3;
  const plane = <usize>padded * line;
  memory.fill(packed, 0, plane * <usize>digits);
  for (let r = 0; r < rows; r++) {
    let from = a + <usize>(row + r) * rowStep;
    let to = packed + <usize>r * line;
    for (let at = 0; at < k; at++) {
      if (digits == PUBLIC_DIGITS) storePublicDigits(from, to, plane);
      else storeShareDigits(from, to, plane);
      from += kStep;
      to += 2;
    }
  }
}

// @ts-ignore: decorator
@inline
function flush(sums: usize, acc: v128): void {
  v128.store(sums, i64x2.add(v128.load(sums), i64x2.extend_low_i32x4_s(acc)));
  v128.store(sums, i64x2.add(v128.load(sums, 16), i64x2.extend_high_i32x4_s(acc)), 16);
}

/** Sums of a 4×8 tile for one power: digits i of A and j of B with i + j = power. */
function tilePower(
  power: i32, aDigits: i32, pairs: i32, a: usize, aPlane: usize, line: usize, b: usize, bPlane: usize, sums: usize,
): void {
  memory.fill(sums, 0, 256);
  const first = max(0, power - SHARE_DIGITS + 1);
  const last = min(aDigits - 1, power);
  let c00 = i32x4.splat(0), c01 = c00, c10 = c00, c11 = c00, c20 = c00, c21 = c00, c30 = c00, c31 = c00;
  let held = 0;
  for (let i = first; i <= last; i++) {
    let at = a + <usize>i * aPlane;
    let bt = b + <usize>(power - i) * bPlane;
    let left = pairs;
    while (left > 0) {
      const block = min(left, PAIRS - held);
      for (let p = 0; p < block; p++) {
        const b0 = v128.load(bt), b1 = v128.load(bt, 16);
        let row = v128.load32_splat(at);
        c00 = i32x4.add(c00, i32x4.dot_i16x8_s(row, b0));
        c01 = i32x4.add(c01, i32x4.dot_i16x8_s(row, b1));
        row = v128.load32_splat(at + line);
        c10 = i32x4.add(c10, i32x4.dot_i16x8_s(row, b0));
        c11 = i32x4.add(c11, i32x4.dot_i16x8_s(row, b1));
        row = v128.load32_splat(at + 2 * line);
        c20 = i32x4.add(c20, i32x4.dot_i16x8_s(row, b0));
        c21 = i32x4.add(c21, i32x4.dot_i16x8_s(row, b1));
        row = v128.load32_splat(at + 3 * line);
        c30 = i32x4.add(c30, i32x4.dot_i16x8_s(row, b0));
        c31 = i32x4.add(c31, i32x4.dot_i16x8_s(row, b1));
        at += 4;
        bt += 32;
      }
      held += block;
      left -= block;
      if (held == PAIRS || (left == 0 && i == last)) {
        flush(sums, c00);
        flush(sums + 32, c01);
        flush(sums + 64, c10);
        flush(sums + 96, c11);
        flush(sums + 128, c20);
        flush(sums + 160, c21);
        flush(sums + 192, c30);
        flush(sums + 224, c31);
        c00 = i32x4.splat(0);
        c01 = c00;
        c10 = c00;
        c11 = c00;
        c20 = c00;
        c21 = c00;
        c30 = c00;
        c31 = c00;
        held = 0;
      }
    }
  }
}

/** Stores Σ sums[power]·2^(13·power), reduced; the 64-bit sum of each power lies 256 bytes after the one before. */
function storeSums(sums: usize, powers: i32, to: usize): void {
  let w0: u64 = 0, w1: u64 = 0, w2: u64 = 0, w3: u64 = 0, w4: u64 = 0;
  let carry: i64 = 0;
  // Five more digits hold what the last power carries over; the carry then is 0 or −1.
  const digits = powers + 5;
  for (let d = 0; d < digits; d++) {
    const sum = carry + (d < powers ? load<i64>(sums + (<usize>d << 8)) : 0);
    const digit = <u64>sum & 8191;
    carry = sum >> 13;
    const bit = <u64>(d * 13);
    const offset = bit & 63;
    const low = digit << offset;
    const high = offset > 51 ? digit >> (64 - offset) : 0;
    const word = bit >> 6;
    if (word == 0) {
      w0 |= low;
      w1 |= high;
    } else if (word == 1) {
      w1 |= low;
      w2 |= high;
    } else if (word == 2) {
      w2 |= low;
      w3 |= high;
    } else if (word == 3) {
      w3 |= low;
      w4 |= high;
    } else w4 |= low;
  }
  // Bits from 254 on: 2^254 ≡ 1.
  const top = (w3 >> 62) | (w4 << 2);
  storeWide(to, w0, w1, w2, w3 & 0x3fffffffffffffff);
  storeSum(to, load<u64>(to), load<u64>(to, 8), top, w4 >> 62);
  if (carry < 0) {
    // −2^(13·digits), and 2^127 ≡ 1: the complement within 127 bits.
    const bit = <u64>((digits * 13) % 127);
    const b0 = bit < 64 ? (<u64>1) << bit : 0;
    const b1 = bit < 64 ? 0 : (<u64>1) << (bit - 64);
    storeSum(to, load<u64>(to), load<u64>(to, 8), ~b0, ~b1 & 0x7fffffffffffffff);
  }
}

/** Bytes of scratch memory per thread. */
export function fieldProductScratch(rowsPerTask: i32, k: i32, aDigits: i32): i32 {
  return <i32>SUMS + packedBytes(rowsPerTask, k, aDigits);
}

/**
 * Rows of C = A·B. Task t is stack t / blocks and rows from (t mod blocks)·rowsPerTask on. A[row][k] lies at
 * a + stack·aStack + row·aRow + k·aK (bytes), shares or, with `aDigits` 2, 32-bit whole numbers. C likewise. With `upper`, tiles
 * wholly below the diagonal are left alone. With `accumulate`, C is added to.
 */
export function fieldProduct(
  task: i32, blocks: i32, rowsPerTask: i32, rows: i32, columns: i32, k: i32, aDigits: i32,
  a: usize, aStack: i32, aRow: i32, aK: i32, packedB: usize, c: usize, cStack: i32, cRow: i32, cColumn: i32,
  upper: i32, accumulate: i32, scratch: usize, scratchBytes: i32,
): void {
  const stack = task / blocks;
  const first = (task - stack * blocks) * rowsPerTask;
  const count = min(rowsPerTask, rows - first);
  const pairs = (k + 1) >> 1;
  const line = <usize>pairs << 2;
  const aPlane = <usize>((count + 3) & ~3) * line;
  const bPlane = <usize>(pairs * TILE_COLUMNS) << 2;
  const powers = aDigits + SHARE_DIGITS - 1;
  const sums = scratch + <usize>thread * <usize>scratchBytes;
  const packedA = sums + SUMS;
  packRows(first, count, k, aDigits, a + <usize>stack * <usize>aStack, <usize>aRow, <usize>aK, packedA);
  const b = packedB + <usize>stack * <usize>packedBytes(columns, k, SHARE_DIGITS);
  const to = c + <usize>stack * <usize>cStack;
  const tiles = (columns + 7) >> 3;
  for (let tile = 0; tile < tiles; tile++) {
    const bTile = b + <usize>tile * bPlane * SHARE_DIGITS;
    const width = min(TILE_COLUMNS, columns - tile * TILE_COLUMNS);
    for (let r = 0; r < count; r += TILE_ROWS) {
      if (upper && tile * TILE_COLUMNS + width - 1 < first + r) continue;
      for (let power = 0; power < powers; power++) {
        tilePower(power, aDigits, pairs, packedA + <usize>r * line, aPlane, line, bTile, bPlane, sums + (<usize>power << 8));
      }
      const height = min(TILE_ROWS, count - r);
      for (let i = 0; i < height; i++) {
        for (let j = 0; j < width; j++) {
          const at = to + <usize>(first + r + i) * <usize>cRow + <usize>(tile * TILE_COLUMNS + j) * <usize>cColumn;
          const had0 = load<u64>(at), had1 = load<u64>(at, 8);
          storeSums(sums + (<usize>(i * TILE_COLUMNS + j) << 3), powers, at);
          if (accumulate) storeSum(at, load<u64>(at), load<u64>(at, 8), had0, had1);
        }
      }
    }
  }
}
