// GRU over whole sequences, PyTorch's convention; layouts as in recurrent-layout.ts, gates in the order r, z, n.
//   n = tanh(a + r∘b) with a = W x + d (input side) and b = U h_{t−1} + e (hidden side),  h_t = n + z∘(h_{t−1} − n)
// The forward pass leaves r, z, b in a row of gate values, and n where the row has its input side. The backward pass
// replaces them by the gradients of the arguments of r and z, of b and of a.
import { storeSigmoids, storeTanhs } from './gates';
import { madd, nmadd } from '../madd';
import { carryRow, gateRow } from './recurrent-layout';

/**
 * Examples from task·examples on: x [batch, time, width] → states [batch, time, hidden]. `keep` is 1 to keep the gates
 * of every step for the backward pass, 0 to keep those of the current step only (one row per example).
 */
export function gruForward(
  task: i32, examples: i32, batch: i32, time: i32, width: i32, hidden: i32, keep: i32,
  x: usize, weights: usize, states: usize, gates: usize, _cells: usize,
): void {
  const first = task * examples;
  const count = min(examples, batch - first);
  const xStep = <usize>width << 2;
  const stateStep = <usize>hidden << 2;
  const gateStep = keep ? gateRow(hidden) : 0;
  const xExample = <usize>time * xStep;
  const stateExample = <usize>time * stateStep;
  const gateExample = keep ? <usize>time * gateStep : gateRow(hidden);
  x += <usize>first * xExample;
  states += <usize>first * stateExample;
  gates += <usize>first * gateExample;
  for (let t = 0; t < time; t++) {
    gruGates(count, t > 0, width, hidden, x, xExample, states, stateExample, weights, gates, gateExample);
    for (let e: usize = 0; e < <usize>count; e++) {
      gruCells(t > 0, stateStep, gates + e * gateExample, states + e * stateExample);
    }
    x += xStep;
    states += stateStep;
    gates += gateStep;
  }
}

/** One step: r, z, the hidden side b of n and its input side a, two examples × four units × four values. */
function gruGates(
  count: i32, hasPrevious: bool, width: i32, hidden: i32, x: usize, xExample: usize, states: usize, stateExample: usize,
  weights: usize, gates: usize, gateExample: usize,
): void {
  const groups = hidden >> 2;
  const inputSide = <usize>hidden * 12;
  for (let group = 0; group < groups; group++) {
    for (let e = 0; e < count; e += 2) {
      const two = e + 1 < count;
      let w = weights + <usize>group * (64 + <usize>(width + hidden) * 48);
      let r0 = v128.load(w), z0 = v128.load(w, 16), b0 = v128.load(w, 32), a0 = v128.load(w, 48);
      let r1 = r0, z1 = z0, b1 = b0, a1 = a0;
      w += 64;
      let at = x + <usize>e * xExample;
      let end = at + (<usize>width << 2);
      let partner: usize = two ? xExample : 0;
      while (at < end) {
        const u = v128.load32_splat(at);
        const v = v128.load32_splat(at + partner);
        let k = v128.load(w);
        r0 = madd(u, k, r0);
        r1 = madd(v, k, r1);
        k = v128.load(w, 16);
        z0 = madd(u, k, z0);
        z1 = madd(v, k, z1);
        k = v128.load(w, 32);
        a0 = madd(u, k, a0);
        a1 = madd(v, k, a1);
        at += 4;
        w += 48;
      }
      if (hasPrevious) {
        end = states + <usize>e * stateExample;
        at = end - (<usize>hidden << 2);
        partner = two ? stateExample : 0;
        while (at < end) {
          const u = v128.load32_splat(at);
          const v = v128.load32_splat(at + partner);
          let k = v128.load(w);
          r0 = madd(u, k, r0);
          r1 = madd(v, k, r1);
          k = v128.load(w, 16);
          z0 = madd(u, k, z0);
          z1 = madd(v, k, z1);
          k = v128.load(w, 32);
          b0 = madd(u, k, b0);
          b1 = madd(v, k, b1);
          at += 4;
          w += 48;
        }
      }
      // A lone example is its own partner: both store the same numbers.
      const row = gates + <usize>e * gateExample;
      const to = row + <usize>group * 48;
      const apart = row + inputSide + (<usize>group << 4);
      const skip: usize = two ? gateExample : 0;
      storeSigmoids(r0, r1, to, to + skip);
      storeSigmoids(z0, z1, to + 16, to + skip + 16);
      v128.store(to, b0, 32);
      v128.store(to + skip, b1, 32);
      v128.store(apart, a0);
      v128.store(apart + skip, a1);
    }
  }
}

/** n and state of one row, two groups at a time. */
// @ts-ignore: decorator
@inline
function gruCells(hasPrevious: bool, stateStep: usize, gate: usize, state: usize): void {
  const end = state + stateStep;
  let n = gate + stateStep * 3;
  while (state < end) {
    // The last of an odd number of groups is paired with itself.
    const next: usize = state + 16 < end ? 16 : 0;
    const other = gate + next * 3;
    const c = madd(v128.load(gate), v128.load(gate, 32), v128.load(n));
    const d = madd(v128.load(other), v128.load(other, 32), v128.load(n + next));
    storeTanhs(c, d, n, n + next);
    storeState(hasPrevious, v128.load(gate, 16), v128.load(n), stateStep, state);
    storeState(hasPrevious, v128.load(other, 16), v128.load(n + next), stateStep, state + next);
    gate += 96;
    n += 32;
    state += 32;
  }
}

/** h_t = n + z∘(h_{t−1} − n) */
// @ts-ignore: decorator
@inline
function storeState(hasPrevious: bool, z: v128, n: v128, stateStep: usize, state: usize): void {
  const rest = nmadd(z, n, n);
  v128.store(state, hasPrevious ? madd(z, v128.load(state - stateStep), rest) : rest);
}

/**
 * Step t of `count` examples: replaces gates by gradients, and `dState` by its part that passes on to h_{t−1} directly.
 */
export function gruCellsBackward(
  count: i32, time: i32, t: i32, hidden: i32, states: usize, gates: usize, dState: usize,
): void {
  const stateStep = <usize>hidden << 2;
  const one = f32x4.splat(1);
  const zero = f32x4.splat(0);
  for (let e = 0; e < count; e++) {
    const row = <usize>(e * time + t);
    let gate = gates + row * gateRow(hidden);
    let input = gate + stateStep * 3;
    let state = states + row * stateStep;
    const end = state + stateStep;
    let d = dState + <usize>e * carryRow(hidden);
    while (state < end) {
      const dh = v128.load(d);
      const r = v128.load(gate);
      const z = v128.load(gate, 16);
      const b = v128.load(gate, 32);
      const n = v128.load(input);
      const previous = t > 0 ? v128.load(state - stateStep) : zero;
      const da = f32x4.mul(nmadd(z, dh, dh), nmadd(n, n, one));
      v128.store(gate, f32x4.mul(f32x4.mul(da, b), nmadd(r, r, r)));
      v128.store(gate, f32x4.mul(f32x4.mul(dh, f32x4.sub(previous, n)), nmadd(z, z, z)), 16);
      v128.store(gate, f32x4.mul(da, r), 32);
      v128.store(input, da);
      v128.store(d, f32x4.mul(dh, z));
      gate += 48;
      input += 16;
      state += 16;
      d += 16;
    }
  }
}
