// What lstm and gru share: shapes, memory, and the step from the gradients of gates to those of weights and inputs.

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectArgument, expectShape } from '../errors.ts';
import { multiply } from '../matrix-product.ts';

export interface RecurrentCell {
  name: 'lstm' | 'gru';
  /** Rows of the weights per hidden unit. */
  gates: 3 | 4;
  kernel: 'lstmForward' | 'gruForward';
}

export interface RecurrentWeights {
  weightInput: Tensor;
  weightHidden: Tensor;
  biasInput: Tensor;
  biasHidden: Tensor;
}

/** Examples per task, unless that makes too many tasks or, in the backward pass, too many partial gradients. */
const EXAMPLES = 8;
const MAX_TASKS = 4096;
const MAX_PARTS = 32;

/** x: [batch, time, in] → [batch, time, hidden] */
export function recurrent(tape: Tape, cell: RecurrentCell, x: Tensor, weights: RecurrentWeights): Tensor {
  const { name, gates } = cell;
  const { engine } = tape;
  const { kernels } = engine;
  expectShape(`${name} x`, x.shape, ['batch', 'time', 'in']);
  const [batch, time, width] = x.shape;
  expectArgument(x.size > 0, `${name} x`, 'batch, time and in must be at least 1', `[${x.shape.join(', ')}]`);
  const units = checkWeights(cell, width, weights);
  const { weightInput, weightHidden, biasInput, biasHidden } = weights;
  // Kernels work on whole vectors of four units.
  const hidden = Math.ceil(units / 4) * 4;
  const padded = hidden !== units;
  const rows = batch * time;
  const inputs = [x, weightInput, weightHidden, biasInput, biasHidden];
  const states = tape.result([batch, time, units], inputs);

  const row = kernels.gateRowFloats(hidden);
  const keep = states.needsGradient;
  const kept = keep ? rows : batch;
  const gateValues = tape.scratch(kept * row);
  const cells = name === 'lstm' ? tape.scratch(kept * 2 * hidden) : 0;
  const packed = tape.scratch(kernels.forwardWeightFloats(gates, hidden, width));
  const statesAt = padded ? tape.scratch(rows * hidden) : states.address;
  const sources = [weightInput.address, weightHidden.address, biasInput.address, biasHidden.address] as const;
  kernels.packForwardWeights(gates, units, width, ...sources, packed);
  const sizes = [batch, time, width, hidden] as const;
  const perTask = Math.max(EXAMPLES, Math.ceil(batch / MAX_TASKS));
  const kernelArguments = [keep ? 1 : 0, x.address, packed, statesAt, gateValues, cells] as const;
  engine.run(cell.kernel, Math.ceil(batch / perTask), perTask, ...sizes, ...kernelArguments);
  if (padded) kernels.copyRowStarts(rows, units, hidden, statesAt, units, states.address);

  tape.record(states, () => {
    let dStates = states.gradientAddress;
    if (padded) {
      dStates = tape.scratch(rows * hidden);
      engine.memory.floats(dStates, rows * hidden).fill(0);
      kernels.copyRowStarts(rows, units, units, states.gradientAddress, hidden, dStates);
    }
    const hiddenWeights = tape.scratch(kernels.backwardWeightFloats(gates, hidden));
    kernels.packBackwardWeights(gates, units, weightHidden.address, hiddenWeights);
    const examples = Math.max(EXAMPLES, Math.ceil(batch / MAX_PARTS));
    const tasks = Math.ceil(batch / examples);
    const floats = kernels.gradientPartFloats(gates, hidden, width);
    const parts = tape.scratch(tasks * floats);
    const carry = tape.scratch(batch * Math.ceil(hidden / 8) * 8);
    const sequence = [x.address, hiddenWeights, statesAt, dStates, gateValues, cells] as const;
    engine.run('recurrentBackward', tasks, examples, batch, time, gates, width, hidden, ...sequence, carry, parts);
    kernels.addParts(tasks - 1, floats, parts + 4 * floats, parts);
    const gradient = (tensor: Tensor) => (tensor.needsGradient ? tensor.gradientAddress : 0);
    const targets = [gradient(weightInput), gradient(weightHidden), gradient(biasInput), gradient(biasHidden)] as const;
    kernels.unpackGradients(gates, units, width, parts, ...targets);
    if (x.needsGradient) addInputGradient();
  });
  return states;

  function addInputGradient(): void {
    const weight = tape.scratch(4 * hidden * width);
    kernels.packInputWeights(gates, units, width, weightInput.address, weight);
    multiply(engine, {
      m: rows,
      n: width,
      k: 4 * hidden,
      a: { at: gateValues, row },
      b: { at: weight, row: width },
      c: { at: x.gradientAddress, row: width },
      from: 'itself',
    });
  }
}

/** Checks the weights against each other and returns the number of hidden units. */
function checkWeights({ name, gates }: RecurrentCell, width: number, weights: RecurrentWeights): number {
  const { weightInput, weightHidden, biasInput, biasHidden } = weights;
  expectShape(`${name} weightHidden`, weightHidden.shape, [`${gates}·hidden`, 'hidden']);
  const units = weightHidden.shape[1];
  expectArgument(units > 0, `${name} weightHidden`, 'hidden must be at least 1', units);
  expectShape(`${name} weightHidden`, weightHidden.shape, [gates * units, units]);
  expectShape(`${name} weightInput`, weightInput.shape, [gates * units, width]);
  expectShape(`${name} biasInput`, biasInput.shape, [gates * units]);
  expectShape(`${name} biasHidden`, biasHidden.shape, [gates * units]);
  return units;
}
