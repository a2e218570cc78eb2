// Multi-head self-attention, fused per (example, head): it takes a few query rows at a time, in per-thread scratch
// memory. Nothing of size n×n is kept; the backward pass computes the probabilities again.
//
// In powers of two, w the head width: k̃ = k · log₂e/√w, s_ij = q_i·k̃_j, l_i = log₂ Σ_j 2^s_ij, p_ij = 2^(s_ij − l_i),
//   o_i = Σ_j p_ij v_j;  g_ij = p_ij (do_i·v_j − do_i·o_i),
//   dq_i = ln2 Σ_j g_ij k̃_j,  dk_j = Σ_i g_ij q_i / √w,  dv_j = Σ_i p_ij do_i.
import { addLines, countPresent, hidePadding, LANES, largestSquare, rowMaximum, toLines, toRows } from './attention-lines';
import { addProducts, addWeightedSums, products, weightedMeans } from './attention-products';
import { madd } from '../madd';
import { log, sumLanes } from '../math';
import { powersOfTwo } from './powers-of-two';
import { storeUpTo } from '../store';
import { thread } from '../thread';

const LOG2_E: f32 = 1.4426950408889634;
const LN_2: f32 = 0.6931471805599453;
/** Query rows that pass through each loop together. */
const BLOCK: i32 = 16;
/** Scores that cannot leave ±64 need no shift by their maximum: 2^s neither overflows nor vanishes. */
const SAFE_SCORE: f32 = 64;

// @ts-ignore: decorator
@inline
function lineBytes(keys: i32): usize {
  return <usize>((keys + LANES - 1) & -LANES) << 2;
}

// @ts-ignore: decorator
@inline
function widthBytes(w: i32): usize {
  return <usize>((w + 3) & ~3) << 2;
}

/** Bytes of scratch memory a thread needs for heads of width w. */
export function selfAttentionScratch(n: i32, w: i32): i32 {
  const lines = 4 * ((w + 3) & ~3) + 2 * BLOCK;
  return lines * <i32>lineBytes(n) + BLOCK * (2 * <i32>widthBytes(w) + 4);
}

/**
 * Pairs (example, head) from task · perTask on. q, k, v, o: [batch, n, heads · w]; present: [batch, n] or 0;
 * starts: [batch, heads, n] keeps −l for the backward pass.
 */
export function selfAttentionForward(
  task: i32, perTask: i32, pairs: i32, n: i32, heads: i32, w: i32, q: usize, k: usize, v: usize, present: usize,
  o: usize, starts: usize, scratch: usize, scratchBytes: usize,
): void {
  const end = min(pairs, (task + 1) * perTask);
  for (let pair = task * perTask; pair < end; pair++) {
    const example = pair / heads;
    const head = <usize>((example * n * heads + pair % heads) * w) << 2;
    forwardHead(
      n, w, <usize>(heads * w) << 2, q + head, k + head, v + head, present ? present + (<usize>(example * n) << 2) : 0,
      o + head, starts + (<usize>(pair * n) << 2), scratch + <usize>thread * scratchBytes,
    );
  }
}

/** One head of one example, whose rows are `row` bytes apart. */
function forwardHead(
  n: i32, w: i32, row: usize, q: usize, k: usize, v: usize, present: usize, o: usize, starts: usize, scratch: usize,
): void {
  const m = countPresent(n, present);
  if (m == 0) {
    for (let i = 0; i < n; i++) memory.fill(o + <usize>i * row, 0, <usize>w << 2);
    return;
  }
  const line = lineBytes(m);
  const width = widthBytes(w);
  const kLines = scratch;
  const vLines = kLines + (width >> 2) * line;
  const p = vLines + (width >> 2) * line;
  const qRows = p + <usize>BLOCK * line;
  const sums = qRows + <usize>BLOCK * width;
  toLines(n, w, present, k, row, LOG2_E / sqrt<f32>(<f32>w), kLines, line);
  toLines(n, w, present, v, row, 1, vLines, line);
  const kSquare = largestSquare(line, width, kLines);
  for (let i = 0; i < n; i += BLOCK) {
    const rows = min(BLOCK, n - i);
    const start = starts + (<usize>i << 2);
    toRows(rows, w, q + <usize>i * row, row, qRows, width);
    memory.fill(start, 0, <usize>rows << 2);
    if (!(kSquare * largestRowSquare(rows, width, qRows) <= SAFE_SCORE * SAFE_SCORE)) {
      products(rows, line, width, qRows, kLines, start, 0, p);
      hidePadding(rows, m, line, p);
      for (let r = 0; r < rows; r++) store<f32>(start + (<usize>r << 2), -rowMaximum(line, p + <usize>r * line));
    }
    products(rows, line, width, qRows, kLines, start, 0, p);
    hidePadding(rows, m, line, p);
    powersOfTwo(p, p + <usize>rows * line);
    weightedMeans(rows, w, line, p, vLines, sums, o + <usize>i * row, row);
    for (let r: usize = 0; r < <usize>rows << 2; r += 16) {
      const l = f32x4.mul(f32x4.splat(LOG2_E), log(v128.load(sums + r)));
      storeUpTo(start + r, f32x4.sub(v128.load(start + r), l), rows - <i32>(r >> 2));
    }
  }
}

/** Adds the gradients to dq, dk and dv; an address of 0 skips one. */
export function selfAttentionBackward(
  task: i32, perTask: i32, pairs: i32, n: i32, heads: i32, w: i32, q: usize, k: usize, v: usize, present: usize,
  o: usize, starts: usize, dO: usize, dq: usize, dk: usize, dv: usize, scratch: usize, scratchBytes: usize,
): void {
  const end = min(pairs, (task + 1) * perTask);
  for (let pair = task * perTask; pair < end; pair++) {
    const example = pair / heads;
    const head = <usize>((example * n * heads + pair % heads) * w) << 2;
    backwardHead(
      n, w, <usize>(heads * w) << 2, q + head, k + head, v + head, present ? present + (<usize>(example * n) << 2) : 0,
      o + head, starts + (<usize>(pair * n) << 2), dO + head,
      dq ? dq + head : 0, dk ? dk + head : 0, dv ? dv + head : 0, scratch + <usize>thread * scratchBytes,
    );
  }
}

function backwardHead(
  n: i32, w: i32, row: usize, q: usize, k: usize, v: usize, present: usize, o: usize, starts: usize, dO: usize,
  dq: usize, dk: usize, dv: usize, scratch: usize,
): void {
  const m = countPresent(n, present);
  if (m == 0) return;
  const line = lineBytes(m);
  const width = widthBytes(w);
  const lines = (width >> 2) * line;
  const kLines = scratch;
  const vLines = kLines + lines;
  const dkLines = vLines + lines;
  const dvLines = dkLines + lines;
  const p = dvLines + lines;
  const g = p + <usize>BLOCK * line;
  const qRows = g + <usize>BLOCK * line;
  const doRows = qRows + <usize>BLOCK * width;
  const along = doRows + <usize>BLOCK * width;
  const root: f32 = <f32>1 / sqrt<f32>(<f32>w);
  toLines(n, w, present, k, row, LOG2_E * root, kLines, line);
  toLines(n, w, present, v, row, 1, vLines, line);
  memory.fill(dkLines, 0, 2 * lines);
  for (let i = 0; i < n; i += BLOCK) {
    const rows = min(BLOCK, n - i);
    const first = <usize>i * row;
    toRows(rows, w, q + first, row, qRows, width);
    toRows(rows, w, dO + first, row, doRows, width);
    products(rows, line, width, qRows, kLines, starts + (<usize>i << 2), 0, p);
    hidePadding(rows, m, line, p);
    powersOfTwo(p, p + <usize>rows * line);
    if (dv) addProducts(rows, line, width, doRows, p, dvLines);
    if (!dq && !dk) continue;
    for (let r = 0; r < rows; r++) {
      const at = first + <usize>r * row;
      store<f32>(along + (<usize>r << 2), -dot(w, dO + at, o + at));
    }
    products(rows, line, width, doRows, vLines, along, p, g);
    if (dk) addProducts(rows, line, width, qRows, g, dkLines);
    if (dq) addWeightedSums(rows, w, line, g, kLines, LN_2, dq + first, row);
  }
  if (dk) addLines(n, w, present, dkLines, line, root, dk, row);
  if (dv) addLines(n, w, present, dvLines, line, 1, dv, row);
}

/** Largest Σ_c a[r, c]² */
function largestRowSquare(rows: i32, width: usize, a: usize): f32 {
  let most: f32 = 0;
  const end = a + <usize>rows * width;
  while (a < end) {
    let square = f32x4.splat(0);
    for (const next = a + width; a < next; a += 16) square = madd(v128.load(a), v128.load(a), square);
    most = max(most, sumLanes(square));
  }
  return most;
}

function dot(w: i32, a: usize, b: usize): f32 {
  let sum: f32 = 0;
  for (let c = 0; c < w; c++) sum += load<f32>(a + (<usize>c << 2)) * load<f32>(b + (<usize>c << 2));
  return sum;
}
