// Reference of ops/lstm.ts in float64.
import { sigmoid } from './sigmoid.ts';

/** x: [batch, time, width], weights and biases as in PyTorch → [batch, time, hidden] */
export function lstm(
  x: Float64Array,
  weightInput: Float64Array,
  weightHidden: Float64Array,
  biasInput: Float64Array,
  biasHidden: Float64Array,
  time: number,
  width: number,
): Float64Array {
  const hidden = biasInput.length / 4;
  const batch = x.length / (time * width);
  const states = new Float64Array(batch * time * hidden);
  for (let e = 0; e < batch; e++) {
    const c = new Float64Array(hidden);
    for (let t = 0; t < time; t++) {
      const row = e * time + t;
      const argument = (gate: number, unit: number): number => {
        const r = gate * hidden + unit;
        let sum = biasInput[r] + biasHidden[r];
        for (let k = 0; k < width; k++) sum += weightInput[r * width + k] * x[row * width + k];
        if (t > 0)
          for (let k = 0; k < hidden; k++) sum += weightHidden[r * hidden + k] * states[(row - 1) * hidden + k];
        return sum;
      };
      for (let unit = 0; unit < hidden; unit++) {
        const i = sigmoid(argument(0, unit));
        const f = sigmoid(argument(1, unit));
        const g = Math.tanh(argument(2, unit));
        const o = sigmoid(argument(3, unit));
        c[unit] = f * c[unit] + i * g;
        states[row * hidden + unit] = o * Math.tanh(c[unit]);
      }
    }
  }
  return states;
}
