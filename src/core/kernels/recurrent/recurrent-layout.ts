// How LSTM (4 gates) and GRU (3 gates) lay out gate values and weights, in the order in which their products read them.
//
// Units come in groups of four, one vector; `hidden` is the number of units rounded up to 4, and units past the end
// have zero weights. A row of gate values, one per (example, step), has 4 · hidden floats: [group][gate][4 units]. The
// GRU has three gates, and the input side of n [hidden] follows them, because r multiplies the hidden side before the
// two are added. So the forward product ends with a group's gates in registers, and they are neighbours in memory.
import { SIGMOID_SCALE } from './gates';

// @ts-ignore: decorator
@inline
function at(base: usize, index: i32): usize {
  return base + (<usize>index << 2);
}

/** Where (gate, unit) of the hidden side lies in a row of gate values. */
// @ts-ignore: decorator
@inline
function hiddenSide(gates: i32, gate: i32, unit: i32): i32 {
  return (((unit >> 2) * gates + gate) << 2) + (unit & 3);
}

/** Where (gate, unit) of the input side lies in a row of gate values. */
// @ts-ignore: decorator
@inline
function inputSide(gates: i32, hidden: i32, gate: i32, unit: i32): i32 {
  return gates == 3 && gate == 2 ? 3 * hidden + unit : hiddenSide(gates, gate, unit);
}

/**
 * Floats of a row of gate values and the gap behind it: rows a power of two apart would compete for few cache lines.
 */
export function gateRowFloats(hidden: i32): i32 {
  return 4 * hidden + 16;
}

/** Bytes of a row of gate values and the gap behind it. */
// @ts-ignore: decorator
@inline
export function gateRow(hidden: i32): usize {
  return <usize>gateRowFloats(hidden) << 2;
}

/** Bytes of an example's row of `carry`: the gradient of its state, whole panels of eight units. */
// @ts-ignore: decorator
@inline
export function carryRow(hidden: i32): usize {
  return <usize>((hidden + 7) & ~7) << 2;
}

/** Floats of the weights as the forward pass reads them, in vectors per group: [4][width × gates][hidden × gates]. */
export function forwardWeightFloats(gates: i32, hidden: i32, width: i32): i32 {
  return (hidden >> 2) * (16 + 4 * gates * (width + hidden));
}

/** Floats of the hidden weights as the backward pass reads them: per eight columns [gates · hidden][8]. */
export function backwardWeightFloats(gates: i32, hidden: i32): i32 {
  return ((hidden + 7) >> 3) * gates * hidden * 8;
}

/** Floats of one task's gradients: hidden weights as in the backward weights, then bias and inputs [1 + width][row]. */
export function gradientPartFloats(gates: i32, hidden: i32, width: i32): i32 {
  return backwardWeightFloats(gates, hidden) + (1 + width) * 4 * hidden;
}

/**
 * Packs the weights for the forward pass. The biases of both sides are added up, except for the GRU's n, where the
 * hidden side's comes third and the input side's fourth.
 */
export function packForwardWeights(
  gates: i32, units: i32, width: i32,
  weightInput: usize, weightHidden: usize, biasInput: usize, biasHidden: usize, to: usize,
): void {
  const hidden = (units + 3) & ~3;
  const step = <usize>gates << 4;
  memory.fill(to, 0, <usize>forwardWeightFloats(gates, hidden, width) << 2);
  for (let gate = 0; gate < gates; gate++) {
    for (let unit = 0; unit < units; unit++) {
      const row = gate * units + unit;
      const group = to + <usize>(unit >> 2) * (64 + step * <usize>(width + hidden));
      let out = at(group, (gate << 2) + (unit & 3));
      const scale: f32 = gate == 2 ? 1 : SIGMOID_SCALE;
      const input = scale * load<f32>(at(biasInput, row));
      const recurrent = scale * load<f32>(at(biasHidden, row));
      const apart = gates == 3 && gate == 2;
      store<f32>(out, apart ? recurrent : input + recurrent);
      if (apart) store<f32>(out, input, 16);
      out += 64;
      for (let k = 0; k < width; k++, out += step) {
        store<f32>(out, scale * load<f32>(at(weightInput, row * width + k)));
      }
      for (let k = 0; k < units; k++, out += step) {
        store<f32>(out, scale * load<f32>(at(weightHidden, row * units + k)));
      }
    }
  }
}

/** Packs the hidden weights for the backward pass. */
export function packBackwardWeights(gates: i32, units: i32, weightHidden: usize, to: usize): void {
  const hidden = (units + 3) & ~3;
  const panel = gates * hidden * 8;
  memory.fill(to, 0, <usize>backwardWeightFloats(gates, hidden) << 2);
  for (let gate = 0; gate < gates; gate++) {
    for (let unit = 0; unit < units; unit++) {
      const from = at(weightHidden, (gate * units + unit) * units);
      const out = at(to, hiddenSide(gates, gate, unit) << 3);
      for (let k = 0; k < units; k++) store<f32>(at(out, (k >> 3) * panel + (k & 7)), load<f32>(at(from, k)));
    }
  }
}

/** Input weights as [row of gate values, width], for the gradient of the inputs. */
export function packInputWeights(gates: i32, units: i32, width: i32, weightInput: usize, to: usize): void {
  const hidden = (units + 3) & ~3;
  memory.fill(to, 0, <usize>(4 * hidden * width) << 2);
  for (let gate = 0; gate < gates; gate++) {
    for (let unit = 0; unit < units; unit++) {
      const out = at(to, inputSide(gates, hidden, gate, unit) * width);
      memory.copy(out, at(weightInput, (gate * units + unit) * width), <usize>width << 2);
    }
  }
}

// @ts-ignore: decorator
@inline
function add(to: usize, value: f32): void {
  store<f32>(to, load<f32>(to) + value);
}

/** Adds a part to the gradients of the weights; an address of 0 skips one. */
export function unpackGradients(
  gates: i32, units: i32, width: i32, part: usize,
  dWeightInput: usize, dWeightHidden: usize, dBiasInput: usize, dBiasHidden: usize,
): void {
  const hidden = (units + 3) & ~3;
  const panel = gates * hidden * 8;
  const inputs = at(part, backwardWeightFloats(gates, hidden));
  for (let gate = 0; gate < gates; gate++) {
    for (let unit = 0; unit < units; unit++) {
      const row = gate * units + unit;
      const h = hiddenSide(gates, gate, unit);
      const i = inputSide(gates, hidden, gate, unit);
      if (dBiasInput) add(at(dBiasInput, row), load<f32>(at(inputs, i)));
      if (dBiasHidden) add(at(dBiasHidden, row), load<f32>(at(inputs, h)));
      if (dWeightInput) {
        for (let k = 0; k < width; k++) {
          add(at(dWeightInput, row * width + k), load<f32>(at(inputs, (1 + k) * 4 * hidden + i)));
        }
      }
      if (dWeightHidden) {
        for (let k = 0; k < units; k++) {
          add(at(dWeightHidden, row * units + k), load<f32>(at(part, (k >> 3) * panel + (h << 3) + (k & 7))));
        }
      }
    }
  }
}

/** to[r, 0 … count) = from[r, 0 … count) for rows of `fromRow` and `toRow` floats. */
export function copyRowStarts(rows: i32, count: i32, fromRow: i32, from: usize, toRow: i32, to: usize): void {
  for (let r = 0; r < rows; r++) memory.copy(at(to, r * toRow), at(from, r * fromRow), <usize>count << 2);
}
