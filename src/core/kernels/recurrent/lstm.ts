// LSTM over whole sequences; layouts as in recurrent-layout.ts, gates in the order i, f, g, o.
//   c_t = f∘c_{t−1} + i∘g,  h_t = o∘tanh(c_t)
// A row of `cells`, one per (example, step), holds c and then tanh c; in the backward pass dL/dc_{t−1}
// replaces tanh c.
import { storeSigmoids, storeTanhs } from './gates';
import { madd, nmadd } from '../madd';
import { carryRow, gateRow } from './recurrent-layout';

/**
 * Examples from task·examples on: x [batch, time, width] → states [batch, time, hidden]. `keep` is 1 to keep gates and
 * cells of every step for the backward pass, 0 to keep those of the current step only (one row per example).
 */
export function lstmForward(
  task: i32, examples: i32, batch: i32, time: i32, width: i32, hidden: i32, keep: i32,
  x: usize, weights: usize, states: usize, gates: usize, cells: usize,
): void {
  const first = task * examples;
  const count = min(examples, batch - first);
  const xStep = <usize>width << 2;
  const stateStep = <usize>hidden << 2;
  const gateStep = keep ? gateRow(hidden) : 0;
  const cellStep = keep ? stateStep << 1 : 0;
  const xExample = <usize>time * xStep;
  const stateExample = <usize>time * stateStep;
  const gateExample = keep ? <usize>time * gateStep : gateRow(hidden);
  const cellExample = keep ? <usize>time * cellStep : stateStep << 1;
  x += <usize>first * xExample;
  states += <usize>first * stateExample;
  gates += <usize>first * gateExample;
  cells += <usize>first * cellExample;
  for (let t = 0; t < time; t++) {
    lstmGates(count, t > 0, width, hidden, x, xExample, states, stateExample, weights, gates, gateExample);
    for (let e: usize = 0; e < <usize>count; e++) {
      const cell = cells + e * cellExample;
      lstmCells(t > 0, stateStep, cellStep, gates + e * gateExample, cell, states + e * stateExample);
    }
    x += xStep;
    states += stateStep;
    gates += gateStep;
    cells += cellStep;
  }
}

/** One step: gates = σ or tanh of (bias + weights · [x; previous state]), two examples × four units × four gates. */
function lstmGates(
  count: i32, hasPrevious: bool, width: i32, hidden: i32, x: usize, xExample: usize, states: usize, stateExample: usize,
  weights: usize, gates: usize, gateExample: usize,
): void {
  const groups = hidden >> 2;
  for (let group = 0; group < groups; group++) {
    for (let e = 0; e < count; e += 2) {
      const two = e + 1 < count;
      let w = weights + <usize>(group * (1 + width + hidden)) * 64;
      let i0 = v128.load(w), f0 = v128.load(w, 16), g0 = v128.load(w, 32), o0 = v128.load(w, 48);
      let i1 = i0, f1 = f0, g1 = g0, o1 = o0;
      w += 64;
      let at = x + <usize>e * xExample;
      let end = at + (<usize>width << 2);
      let partner: usize = two ? xExample : 0;
      for (let side = 0; ; side++) {
        while (at < end) {
          const u = v128.load32_splat(at);
          const v = v128.load32_splat(at + partner);
          let k = v128.load(w);
          i0 = madd(u, k, i0);
          i1 = madd(v, k, i1);
          k = v128.load(w, 16);
          f0 = madd(u, k, f0);
          f1 = madd(v, k, f1);
          k = v128.load(w, 32);
          g0 = madd(u, k, g0);
          g1 = madd(v, k, g1);
          k = v128.load(w, 48);
          o0 = madd(u, k, o0);
          o1 = madd(v, k, o1);
          at += 4;
          w += 64;
        }
        // After the inputs, the same loop runs over the previous state.
        if (side == 1 || !hasPrevious) break;
        end = states + <usize>e * stateExample;
        at = end - (<usize>hidden << 2);
        partner = two ? stateExample : 0;
      }
      // A lone example is its own partner: both store the same numbers.
      const to = gates + <usize>e * gateExample + (<usize>group << 6);
      const other = two ? to + gateExample : to;
      storeSigmoids(i0, i1, to, other);
      storeSigmoids(f0, f1, to + 16, other + 16);
      storeTanhs(g0, g1, to + 32, other + 32);
      storeSigmoids(o0, o1, to + 48, other + 48);
    }
  }
}

/** Cell and state of one row, two groups at a time. */
// @ts-ignore: decorator
@inline
function lstmCells(hasPrevious: bool, stateStep: usize, cellStep: usize, gate: usize, cell: usize, state: usize): void {
  const end = state + stateStep;
  while (state < end) {
    // The last of an odd number of groups is paired with itself.
    const next: usize = state + 16 < end ? 16 : 0;
    const other = gate + (next << 2);
    let c = f32x4.mul(v128.load(gate), v128.load(gate, 32));
    let d = f32x4.mul(v128.load(other), v128.load(other, 32));
    if (hasPrevious) {
      c = madd(v128.load(gate, 16), v128.load(cell - cellStep), c);
      d = madd(v128.load(other, 16), v128.load(cell - cellStep + next), d);
    }
    v128.store(cell, c);
    v128.store(cell + next, d);
    const bounded = cell + stateStep;
    storeTanhs(c, d, bounded, bounded + next);
    v128.store(state, f32x4.mul(v128.load(gate, 48), v128.load(bounded)));
    v128.store(state + next, f32x4.mul(v128.load(other, 48), v128.load(bounded + next)));
    gate += 128;
    cell += 32;
    state += 32;
  }
}

/** Step t of `count` examples: replaces gates by the gradients of their arguments, given the gradient of the state. */
export function lstmCellsBackward(
  count: i32, time: i32, t: i32, hidden: i32, gates: usize, cells: usize, dState: usize,
): void {
  const stateStep = <usize>hidden << 2;
  const cellStep = stateStep << 1;
  const one = f32x4.splat(1);
  const zero = f32x4.splat(0);
  for (let e = 0; e < count; e++) {
    const row = <usize>(e * time + t);
    let gate = gates + row * gateRow(hidden);
    let cell = cells + row * cellStep;
    let d = dState + <usize>e * carryRow(hidden);
    const end = cell + stateStep;
    while (cell < end) {
      const dh = v128.load(d);
      const i = v128.load(gate);
      const f = v128.load(gate, 16);
      const g = v128.load(gate, 32);
      const o = v128.load(gate, 48);
      const bounded = v128.load(cell + stateStep);
      const previous = t > 0 ? v128.load(cell - cellStep) : zero;
      let dc = f32x4.mul(f32x4.mul(dh, o), nmadd(bounded, bounded, one));
      if (t + 1 < time) dc = f32x4.add(dc, v128.load(cell + cellStep + stateStep));
      v128.store(gate, f32x4.mul(f32x4.mul(dc, g), nmadd(i, i, i)));
      v128.store(gate, f32x4.mul(f32x4.mul(dc, previous), nmadd(f, f, f)), 16);
      v128.store(gate, f32x4.mul(f32x4.mul(dc, i), nmadd(g, g, one)), 32);
      v128.store(gate, f32x4.mul(f32x4.mul(dh, bounded), nmadd(o, o, o)), 48);
      v128.store(cell + stateStep, f32x4.mul(dc, f));
      gate += 64;
      cell += 16;
      d += 16;
    }
  }
}
