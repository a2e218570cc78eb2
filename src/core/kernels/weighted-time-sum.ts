// Sum over the steps of a sequence with one weight per step: h = Σ_t a_t·h_t + b. A task is a few examples.
import { madd } from './madd';
import { sumLanes } from './math';
import { keepUpTo, storeUpTo } from './store';

// @ts-ignore: decorator
@inline
function at(base: usize, index: i32): usize {
  return base + (<usize>index << 2);
}

/** states [batch, time, hidden], weights [time], bias [1] → to [batch, hidden] */
export function weightedTimeSum(
  task: i32, examples: i32, batch: i32, time: i32, hidden: i32, states: usize, weights: usize, bias: usize, to: usize,
): void {
  const row = <usize>hidden << 2;
  const end = min(batch, (task + 1) * examples);
  for (let e = task * examples; e < end; e++) {
    for (let unit = 0; unit < hidden; unit += 4) {
      let from = at(states, e * time * hidden + unit);
      let sum = v128.load32_splat(bias);
      for (let t = 0; t < time; t++) {
        sum = madd(v128.load32_splat(at(weights, t)), v128.load(from), sum);
        from += row;
      }
      storeUpTo(at(to, e * hidden + unit), sum, hidden - unit);
    }
  }
}

/**
 * dStates += a_t · dTo, unless that address is 0, and the task's part [time + 1] of the gradients of weights and bias.
 */
export function weightedTimeSumBackward(
  task: i32, examples: i32, batch: i32, time: i32, hidden: i32,
  states: usize, weights: usize, dTo: usize, dStates: usize, parts: usize,
): void {
  const part = at(parts, task * (time + 1));
  const first = task * examples;
  const end = min(batch, first + examples);
  const zero = f32x4.splat(0);
  let total = zero;
  for (let t = 0; t < time; t++) {
    const weight = v128.load32_splat(at(weights, t));
    let sums = zero;
    for (let e = first; e < end; e++) {
      const row = (e * time + t) * hidden;
      for (let unit = 0; unit < hidden; unit += 4) {
        const rest = hidden - unit;
        const gradient = keepUpTo(v128.load(at(dTo, e * hidden + unit)), rest);
        const state = v128.load(at(states, row + unit));
        // A number past the end may be NaN, and NaN times the zero of the gradient is still NaN.
        sums = madd(gradient, keepUpTo(state, rest), sums);
        if (t == 0) total = f32x4.add(total, gradient);
        if (!dStates) continue;
        const to = at(dStates, row + unit);
        storeUpTo(to, madd(weight, gradient, v128.load(to)), rest);
      }
    }
    store<f32>(at(part, t), sumLanes(sums));
  }
  store<f32>(at(part, time), sumLanes(total));
}
