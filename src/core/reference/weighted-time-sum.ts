// Reference of ops/weighted-time-sum.ts in float64.

/** states: [batch, time, hidden], weights: [time], bias: [1] → [batch, hidden] */
export function weightedTimeSum(
  states: Float64Array,
  weights: Float64Array,
  bias: Float64Array,
  hidden: number,
): Float64Array {
  const time = weights.length;
  const batch = states.length / (time * hidden);
  const sums = new Float64Array(batch * hidden).fill(bias[0]);
  for (let e = 0; e < batch; e++) {
    for (let t = 0; t < time; t++) {
      for (let k = 0; k < hidden; k++) sums[e * hidden + k] += weights[t] * states[(e * time + t) * hidden + k];
    }
  }
  return sums;
}
