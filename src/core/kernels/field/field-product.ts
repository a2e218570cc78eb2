// Matrix products in the field 2^127 − 1: C = A·B of shares, or of public whole numbers and shares.
//
// A number is written in balanced digits of 13 bits, −4096 … 4095, ten for a share and two for a public number. One instruction multiplies
// eight pairs of 16-bit digits and adds neighbours, so both operands keep neighbouring k together. Sums of up to 62 such pairs fit 32 bits;
// then they are added to 64-bit sums, one for each power of 2^13, which are reduced once per result.
//
// Packed A: [digit][row][pair of k][2], rows of a block of four one after another. Packed B: [tile of 8 columns][digit][pair of k][8][2].
import { storeSum } from './field';
import { thread } from '../thread';

const TILE_ROWS: i32 = 4;
const TILE_COLUMNS: i32 = 8;
/** Pairs of k per 32-bit sum: each is at most 2·4096², and 63 of them stay below 2^31. */
const PAIRS: i32 = 62;
export const SHARE_DIGITS: i32 = 10;
export const PUBLIC_DIGITS: i32 = 2;
/** Powers of 2^13 that a result is read from: at most 19, and five more for what the last one carries over. */
const POWERS: i32 = 24;
/** Bytes of the sums of a tile of 32 results. */
const SUMS: usize = <usize>POWERS * 32 * 8;

const WORD: u64 = 0xfffffffffffff;
/** 4096 in each of four digits, and of two. */
const HALVES: u64 = 4096 | (4096 << 13) | (4096 << 26) | (4096 << 39);
const LAST_HALVES: u64 = 4096 | (4096 << 13);

/**
 * Balanced digits of the share at `from`, each `step` bytes after the other. With half a digit added to every digit, plain digits less that
 * half are the balanced ones, so carries run only between words of four digits.
 */
// @ts-ignore: decorator
@inline
function storeShareDigits(from: usize, to: usize, step: usize): void {
  const low = load<u64>(from), high = load<u64>(from, 8);
  const a = (low & WORD) + HALVES;
  const b = (((low >> 52) | (high << 12)) & WORD) + HALVES + (a >> 52);
  const c = (high >> 40) + LAST_HALVES + (b >> 52);
  to = storeDigits(a, to, step);
  to = storeDigits(b, to, step);
  store<i16>(to, <i16>(<i32>(c & 8191) - 4096));
  store<i16>(to + step, <i16>(<i32>(c >> 13) - 4096));
}

// @ts-ignore: decorator
@inline
function storeDigits(word: u64, to: usize, step: usize): usize {
  store<i16>(to, <i16>(<i32>(word & 8191) - 4096));
  to += step;
  store<i16>(to, <i16>(<i32>((word >> 13) & 8191) - 4096));
  to += step;
  store<i16>(to, <i16>(<i32>((word >> 26) & 8191) - 4096));
  to += step;
  store<i16>(to, <i16>(<i32>((word >> 39) & 8191) - 4096));
  return to + step;
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

/**
 * Stores Σ sums[power]·2^(13·power), reduced; the 64-bit sum of each power lies 256 bytes after the one before, and those from `powers` on are 0.
 * Four digits make a word of 52 bits; the number's bits from 127 and from 254 on are added to its first, since 2^127 ≡ 1.
 */
function storeSums(sums: usize, to: usize): void {
  let t: i64;
  t = load<i64>(sums);
  const w0a = <u64>t & 8191;
  t = load<i64>(sums, 256) + (t >> 13);
  const w0b = w0a | ((<u64>t & 8191) << 13);
  t = load<i64>(sums, 512) + (t >> 13);
  const w0c = w0b | ((<u64>t & 8191) << 26);
  t = load<i64>(sums, 768) + (t >> 13);
  const w0 = w0c | ((<u64>t & 8191) << 39);
  t = load<i64>(sums, 1024) + (t >> 13);
  const w1a = <u64>t & 8191;
  t = load<i64>(sums, 1280) + (t >> 13);
  const w1b = w1a | ((<u64>t & 8191) << 13);
  t = load<i64>(sums, 1536) + (t >> 13);
  const w1c = w1b | ((<u64>t & 8191) << 26);
  t = load<i64>(sums, 1792) + (t >> 13);
  const w1 = w1c | ((<u64>t & 8191) << 39);
  t = load<i64>(sums, 2048) + (t >> 13);
  const w2a = <u64>t & 8191;
  t = load<i64>(sums, 2304) + (t >> 13);
  const w2b = w2a | ((<u64>t & 8191) << 13);
  t = load<i64>(sums, 2560) + (t >> 13);
  const w2c = w2b | ((<u64>t & 8191) << 26);
  t = load<i64>(sums, 2816) + (t >> 13);
  const w2 = w2c | ((<u64>t & 8191) << 39);
  t = load<i64>(sums, 3072) + (t >> 13);
  const w3a = <u64>t & 8191;
  t = load<i64>(sums, 3328) + (t >> 13);
  const w3b = w3a | ((<u64>t & 8191) << 13);
  t = load<i64>(sums, 3584) + (t >> 13);
  const w3c = w3b | ((<u64>t & 8191) << 26);
  t = load<i64>(sums, 3840) + (t >> 13);
  const w3 = w3c | ((<u64>t & 8191) << 39);
  t = load<i64>(sums, 4096) + (t >> 13);
  const w4a = <u64>t & 8191;
  t = load<i64>(sums, 4352) + (t >> 13);
  const w4b = w4a | ((<u64>t & 8191) << 13);
  t = load<i64>(sums, 4608) + (t >> 13);
  const w4c = w4b | ((<u64>t & 8191) << 26);
  t = load<i64>(sums, 4864) + (t >> 13);
  const w4 = w4c | ((<u64>t & 8191) << 39);
  t = load<i64>(sums, 5120) + (t >> 13);
  const w5a = <u64>t & 8191;
  t = load<i64>(sums, 5376) + (t >> 13);
  const w5b = w5a | ((<u64>t & 8191) << 13);
  t = load<i64>(sums, 5632) + (t >> 13);
  const w5c = w5b | ((<u64>t & 8191) << 26);
  t = load<i64>(sums, 5888) + (t >> 13);
  const w5 = w5c | ((<u64>t & 8191) << 39);
  storeSum(to, w0 | (w1 << 52), (w1 >> 12) | ((w2 & 0x7fffff) << 40), (w2 >> 23) | (w3 << 29), (w3 >> 35) | ((w4 & 0x3fffffffffff) << 17));
  storeSum(to, load<u64>(to), load<u64>(to, 8), (w4 >> 46) | (w5 << 6), 0);
  // What is left over is 0 or −1 at bit 312, and 2^312 ≡ 2^58: the complement within 127 bits.
  if (t < 0) storeSum(to, load<u64>(to), load<u64>(to, 8), ~((<u64>1) << 58), 0x7fffffffffffffff);
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
  memory.fill(sums + (<usize>powers << 8), 0, <usize>(POWERS - powers) << 8);
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
          storeSums(sums + (<usize>(i * TILE_COLUMNS + j) << 3), at);
          if (accumulate) storeSum(at, load<u64>(at), load<u64>(at, 8), had0, had1);
        }
      }
    }
  }
}
