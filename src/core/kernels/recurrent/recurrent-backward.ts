// The backward pass through time. LSTM (4 gates) and GRU (3 gates) share all of it but the cell; recurrent-layout.ts
// describes the layouts.
//
// A task is a few examples, in blocks that stay in the cache. From the last step to the first, the gate values of a
// step are replaced by the gradients of their arguments; then the weights' gradients are one long product over the
// block's rows.
import { gruCellsBackward } from './gru';
import { lstmCellsBackward } from './lstm';
import { madd } from '../madd';
import { backwardWeightFloats, carryRow, gateRow, gradientPartFloats } from './recurrent-layout';

/** Examples and steps of a block. */
const BLOCK: i32 = 8;
const STEPS: i32 = 32;

// @ts-ignore: decorator
@inline
function at(base: usize, index: i32): usize {
  return base + (<usize>index << 2);
}

/** Examples from task·examples on: gate gradients in place, and the task's part of the weights' gradients. */
export function recurrentBackward(
  task: i32, examples: i32, batch: i32, time: i32, gates: i32, width: i32, hidden: i32,
  x: usize, weights: usize, states: usize, dStates: usize, gateValues: usize, cells: usize, carry: usize, parts: usize,
): void {
  const floats = gradientPartFloats(gates, hidden, width);
  const part = at(parts, task * floats);
  memory.fill(part, 0, <usize>floats << 2);
  const end = min(batch, (task + 1) * examples);
  for (let e = task * examples; e < end; e += BLOCK) {
    const count = min(BLOCK, end - e);
    const row = <usize>e * <usize>time;
    const xs = x + row * (<usize>width << 2);
    const h = states + row * (<usize>hidden << 2);
    const dh = dStates + row * (<usize>hidden << 2);
    const g = gateValues + row * gateRow(hidden);
    const c = cells + row * (<usize>hidden << 3);
    const carried = carry + <usize>e * carryRow(hidden);
    for (let to = time; to > 0; to -= STEPS) {
      const from = max(0, to - STEPS);
      for (let t = to - 1; t >= from; t--) {
        stateGradients(count, time, t, gates, hidden, weights, dh, g, carried);
        if (gates == 4) lstmCellsBackward(count, time, t, hidden, g, c, carried);
        else gruCellsBackward(count, time, t, hidden, h, g, carried);
      }
      addGradientPart(count, time, from, to, gates, hidden, width, xs, h, g, part);
    }
  }
}

/** carry = dStates[t] + dGates[t + 1] · weights (+ what the GRU's cell left in carry) */
function stateGradients(
  count: i32, time: i32, t: i32, gates: i32, hidden: i32, weights: usize, dStates: usize, dGates: usize, carry: usize,
): void {
  const last = t == time - 1;
  const stateExample = <usize>(time * hidden) << 2;
  const gateExample = <usize>time * gateRow(hidden);
  const carryExample = carryRow(hidden);
  const rows = gates * hidden;
  dStates = at(dStates, t * hidden);
  dGates += <usize>(t + 1) * gateRow(hidden);
  for (let unit = 0; unit < hidden; unit += 8) {
    for (let e = 0; e < count; e += 4) {
      // Examples past the end repeat the last one.
      const n = count - e;
      let d = at(dStates + <usize>e * stateExample, unit);
      const c0 = at(carry + <usize>e * carryExample, unit);
      const c1 = n > 1 ? c0 + carryExample : c0;
      const c2 = n > 2 ? c1 + carryExample : c1;
      const c3 = n > 3 ? c2 + carryExample : c2;
      let s00 = v128.load(d), s01 = v128.load(d, 16);
      if (n > 1) d += stateExample;
      let s10 = v128.load(d), s11 = v128.load(d, 16);
      if (n > 2) d += stateExample;
      let s20 = v128.load(d), s21 = v128.load(d, 16);
      if (n > 3) d += stateExample;
      let s30 = v128.load(d), s31 = v128.load(d, 16);
      if (!last) {
        if (gates == 3) {
          s00 = f32x4.add(s00, v128.load(c0));
          s01 = f32x4.add(s01, v128.load(c0, 16));
          s10 = f32x4.add(s10, v128.load(c1));
          s11 = f32x4.add(s11, v128.load(c1, 16));
          s20 = f32x4.add(s20, v128.load(c2));
          s21 = f32x4.add(s21, v128.load(c2, 16));
          s30 = f32x4.add(s30, v128.load(c3));
          s31 = f32x4.add(s31, v128.load(c3, 16));
        }
        let a0 = dGates + <usize>e * gateExample;
        let a1 = n > 1 ? a0 + gateExample : a0;
        let a2 = n > 2 ? a1 + gateExample : a1;
        let a3 = n > 3 ? a2 + gateExample : a2;
        let w = at(weights, unit * rows);
        const end = at(w, rows << 3);
        while (w < end) {
          const low = v128.load(w);
          const high = v128.load(w, 16);
          let g = v128.load32_splat(a0);
          s00 = madd(g, low, s00);
          s01 = madd(g, high, s01);
          g = v128.load32_splat(a1);
          s10 = madd(g, low, s10);
          s11 = madd(g, high, s11);
          g = v128.load32_splat(a2);
          s20 = madd(g, low, s20);
          s21 = madd(g, high, s21);
          g = v128.load32_splat(a3);
          s30 = madd(g, low, s30);
          s31 = madd(g, high, s31);
          a0 += 4;
          a1 += 4;
          a2 += 4;
          a3 += 4;
          w += 32;
        }
      }
      v128.store(c0, s00);
      v128.store(c0, s01, 16);
      v128.store(c1, s10);
      v128.store(c1, s11, 16);
      v128.store(c2, s20);
      v128.store(c2, s21, 16);
      v128.store(c3, s30);
      v128.store(c3, s31, 16);
    }
  }
}

/**
 * part += Σ dGates · [previous state; 1; x]ᵀ over `examples` and their steps from `from` to before `to`: states
 * [example, time, hidden], x [example, time, width], dGates [example, time, row].
 */
function addGradientPart(
  examples: i32, time: i32, from: i32, to: i32, gates: i32, hidden: i32, width: i32,
  x: usize, states: usize, dGates: usize, part: usize,
): void {
  const rows = gates * hidden;
  const panels = (hidden + 7) >> 3;
  const row = gateRow(hidden);
  // The first step has no previous state.
  const second = max(from, 1);
  const previous = at(states, (second - 1) * hidden);
  for (let q = 0; q < rows; q += 4) {
    const g = at(dGates + <usize>second * row, q);
    for (let p = 0; p < panels; p++) {
      hiddenTile(examples, time, to - second, hidden, g, at(previous, p << 3), at(part, (p * rows + q) << 3));
    }
  }
  const inputs = at(part, backwardWeightFloats(gates, hidden));
  x = at(x, from * width);
  dGates += <usize>from * row;
  for (let q = 0; q < 4 * hidden; q += 16) {
    biasTile(examples, time, to - from, hidden, width, x, at(dGates, q), at(inputs, q));
    for (let k = 1; k < width; k += 2) {
      const out = at(inputs, (1 + k) * 4 * hidden + q);
      inputTile(examples, time, to - from, hidden, width, k + 1 < width, at(x, k), at(dGates, q), out);
    }
  }
}

/** part[4 gate values][8 units] += Σ dGates[e, t]ᵀ · states[e, t] over `steps` rows of every example */
function hiddenTile(
  examples: i32, time: i32, steps: i32, hidden: i32, dGates: usize, states: usize, part: usize,
): void {
  let s00 = v128.load(part);
  let s01 = v128.load(part, 16);
  let s10 = v128.load(part, 32);
  let s11 = v128.load(part, 48);
  let s20 = v128.load(part, 64);
  let s21 = v128.load(part, 80);
  let s30 = v128.load(part, 96);
  let s31 = v128.load(part, 112);
  const stateRow = <usize>hidden << 2;
  const row = gateRow(hidden);
  for (let e = 0; e < examples; e++) {
    const end = dGates + <usize>steps * row;
    let a = dGates;
    let b = states;
    while (a < end) {
      const low = v128.load(b);
      const high = v128.load(b, 16);
      let g = v128.load32_splat(a);
      s00 = madd(g, low, s00);
      s01 = madd(g, high, s01);
      g = v128.load32_splat(a, 4);
      s10 = madd(g, low, s10);
      s11 = madd(g, high, s11);
      g = v128.load32_splat(a, 8);
      s20 = madd(g, low, s20);
      s21 = madd(g, high, s21);
      g = v128.load32_splat(a, 12);
      s30 = madd(g, low, s30);
      s31 = madd(g, high, s31);
      a += row;
      b += stateRow;
    }
    dGates += <usize>time * row;
    states += <usize>time * stateRow;
  }
  v128.store(part, s00);
  v128.store(part, s01, 16);
  v128.store(part, s10, 32);
  v128.store(part, s11, 48);
  v128.store(part, s20, 64);
  v128.store(part, s21, 80);
  v128.store(part, s30, 96);
  v128.store(part, s31, 112);
}

/** Bias and first input: part[0][16] += Σ dGates[e, t], part[1][16] += Σ x[e, t] · dGates[e, t] */
function biasTile(
  examples: i32, time: i32, steps: i32, hidden: i32, width: i32, x: usize, dGates: usize, part: usize,
): void {
  const row = gateRow(hidden);
  const xRow = <usize>width << 2;
  const second = part + (<usize>hidden << 4);
  let b0 = v128.load(part), b1 = v128.load(part, 16), b2 = v128.load(part, 32), b3 = v128.load(part, 48);
  let s0 = v128.load(second), s1 = v128.load(second, 16), s2 = v128.load(second, 32), s3 = v128.load(second, 48);
  for (let e = 0; e < examples; e++) {
    const end = dGates + <usize>steps * row;
    let a = x;
    for (let at = dGates; at < end; at += row) {
      const v = v128.load32_splat(a);
      let g = v128.load(at);
      b0 = f32x4.add(b0, g);
      s0 = madd(v, g, s0);
      g = v128.load(at, 16);
      b1 = f32x4.add(b1, g);
      s1 = madd(v, g, s1);
      g = v128.load(at, 32);
      b2 = f32x4.add(b2, g);
      s2 = madd(v, g, s2);
      g = v128.load(at, 48);
      b3 = f32x4.add(b3, g);
      s3 = madd(v, g, s3);
      a += xRow;
    }
    x += <usize>time * xRow;
    dGates += <usize>time * row;
  }
  v128.store(part, b0);
  v128.store(part, b1, 16);
  v128.store(part, b2, 32);
  v128.store(part, b3, 48);
  v128.store(second, s0);
  v128.store(second, s1, 16);
  v128.store(second, s2, 32);
  v128.store(second, s3, 48);
}

/** One further input, or two: part[k][16] += Σ x[e, t, k] · dGates[e, t] */
function inputTile(
  examples: i32, time: i32, steps: i32, hidden: i32, width: i32, two: bool, x: usize, dGates: usize, part: usize,
): void {
  const row = gateRow(hidden);
  const xRow = <usize>width << 2;
  // A lone input is its own partner: both sums are the same, and are stored one over the other.
  const next: usize = two ? 4 : 0;
  const second = two ? part + (<usize>hidden << 4) : part;
  let r0 = v128.load(part), r1 = v128.load(part, 16), r2 = v128.load(part, 32), r3 = v128.load(part, 48);
  let s0 = v128.load(second), s1 = v128.load(second, 16), s2 = v128.load(second, 32), s3 = v128.load(second, 48);
  for (let e = 0; e < examples; e++) {
    const end = dGates + <usize>steps * row;
    let a = x;
    for (let at = dGates; at < end; at += row) {
      const u = v128.load32_splat(a);
      const v = v128.load32_splat(a + next);
      let g = v128.load(at);
      r0 = madd(u, g, r0);
      s0 = madd(v, g, s0);
      g = v128.load(at, 16);
      r1 = madd(u, g, r1);
      s1 = madd(v, g, s1);
      g = v128.load(at, 32);
      r2 = madd(u, g, r2);
      s2 = madd(v, g, s2);
      g = v128.load(at, 48);
      r3 = madd(u, g, r3);
      s3 = madd(v, g, s3);
      a += xRow;
    }
    x += <usize>time * xRow;
    dGates += <usize>time * row;
  }
  v128.store(part, r0);
  v128.store(part, r1, 16);
  v128.store(part, r2, 32);
  v128.store(part, r3, 48);
  v128.store(second, s0);
  v128.store(second, s1, 16);
  v128.store(second, s2, 32);
  v128.store(second, s3, 48);
}
