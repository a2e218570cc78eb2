// Reference of ops/gru.ts in float64.
import { sigmoid } from './sigmoid.ts';

/** x: [batch, time, width], weights and biases as in PyTorch → [batch, time, hidden] */
export function gru(
  x: Float64Array,
  weightInput: Float64Array,
  weightHidden: Float64Array,
  biasInput: Float64Array,
  biasHidden: Float64Array,
  time: number,
  width: number,
): Float64Array {
  const hidden = biasInput.length / 3;
  const batch = x.length / (time * width);
  const states = new Float64Array(batch * time * hidden);
  for (let e = 0; e < batch; e++) {
    for (let t = 0; t < time; t++) {
      const row = e * time + t;
      const before = t > 0 ? states.slice((row - 1) * hidden, row * hidden) : new Float64Array(hidden);
      const input = (gate: number, unit: number): number => {
        const r = gate * hidden + unit;
        let sum = biasInput[r];
        for (let k = 0; k < width; k++) sum += weightInput[r * width + k] * x[row * width + k];
        return sum;
      };
      const recurrent = (gate: number, unit: number): number => {
        const r = gate * hidden + unit;
        let sum = biasHidden[r];
        for (let k = 0; k < hidden; k++) sum += weightHidden[r * hidden + k] * before[k];
        return sum;
      };
      for (let unit = 0; unit < hidden; unit++) {
        const r = sigmoid(input(0, unit) + recurrent(0, unit));
        const z = sigmoid(input(1, unit) + recurrent(1, unit));
        const n = Math.tanh(input(2, unit) + r * recurrent(2, unit));
        states[row * hidden + unit] = (1 - z) * n + z * before[unit];
      }
    }
  }
  return states;
}
