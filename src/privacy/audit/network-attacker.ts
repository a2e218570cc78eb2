// [owner] A small network on our own core that inverts a local model: embedding → two layers of ReLU → window.
import type { Engine } from '../../core/engine/engine.ts';
import type { Tape } from '../../core/engine/tape.ts';
import type { Tensor } from '../../core/engine/tensor.ts';
import { affine } from '../../core/ops/affine.ts';
import { gatherRows } from '../../core/ops/gather-rows.ts';
import { relu } from '../../core/ops/relu.ts';
import { squaredError } from '../../core/ops/squared-error.ts';
import { uniform } from '../../core/optimizer/initialise.ts';
import { Adam } from '../../core/optimizer/optimizer.ts';
import { RandomStream } from '../../core/random.ts';
import type { Attacker } from './ridge.ts';
import { columnsOf, type Rows, rowCount, standardise } from './rows.ts';

const HIDDEN = 64;
const BATCH = 64;
const LEARNING_RATE = 3e-3;
/** Steps in all, whatever the number of pairs, so that an audit takes the same time everywhere. */
const STEPS = 2000;
/** Steps between two looks at the pairs kept back. */
const LOOK = 50;
const PATIENCE = 8;
const KEPT_BACK = 0.2;

/** Learns from the pairs that the attacker knows, and keeps the weights that do best on pairs kept back. */
export function fitNetwork(engine: Engine, inputs: Rows, targets: Rows, seed: number): Attacker {
  const [from, to] = [columnsOf(inputs), columnsOf(targets)];
  const [x, y] = [tensorOf(engine, standardise(inputs, from)), tensorOf(engine, standardise(targets, to))];
  const random = new RandomStream(seed, 0);
  const sizes = [inputs.width, HIDDEN, HIDDEN, targets.width];
  const layers = sizes.slice(1).map((out, i) => {
    const bound = 1 / Math.sqrt(sizes[i]);
    const draw = (dims: number[]) => engine.parameter(dims, uniform(random, dims, -bound, bound));
    return { weight: draw([sizes[i], out]), bias: draw([out]) };
  });
  const parameters = layers.flatMap(({ weight, bias }) => [weight, bias]);
  const forward = (tape: Tape, batch: Tensor) => {
    const [first, second, last] = layers;
    const one = relu(tape, affine(tape, batch, first.weight), first.bias);
    const two = relu(tape, affine(tape, one, second.weight), second.bias);
    return affine(tape, two, last.weight, last.bias);
  };
  const order = random.permutation(rowCount(inputs));
  const back = Math.floor(order.length * KEPT_BACK);
  const [held, known] = back < 2 ? [order, order] : [order.subarray(0, back), order.subarray(back)];
  const tape = engine.tape();
  const optimizer = new Adam(engine, parameters, { learningRate: LEARNING_RATE });
  let best = { error: Number.POSITIVE_INFINITY, step: 0, weights: parameters.map(({ data }) => data.slice()) };
  for (let step = 1; step <= STEPS && step - best.step <= PATIENCE * LOOK; step++) {
    const rows = Uint32Array.from({ length: Math.min(BATCH, known.length) }, () => known[random.integer(known.length)]);
    tape.reset();
    const loss = squaredError(tape, forward(tape, gatherRows(tape, x, rows)), gatherRows(tape, y, rows));
    tape.backward(loss);
    optimizer.step();
    if (step % LOOK !== 0) continue;
    tape.reset();
    const error = squaredError(tape, forward(tape, gatherRows(tape, x, held)), gatherRows(tape, y, held)).item();
    if (error < best.error) best = { error, step, weights: parameters.map(({ data }) => data.slice()) };
  }
  tape.dispose();
  optimizer.dispose();
  const kept = layers.map((_, i) => ({ weight: best.weights[2 * i], bias: best.weights[2 * i + 1] }));
  for (const tensor of [x, y, ...parameters]) engine.free(tensor);
  return (rows) => guess(standardise(rows, from), kept, to);
}

/** The network on the main thread in double precision: it is small, and the attacker outlives the engine's tensors. */
function guess(
  { values, width }: Rows,
  layers: readonly { weight: Float32Array; bias: Float32Array }[],
  { mean, deviation }: { mean: Float64Array; deviation: Float64Array },
): Rows {
  const rows = values.length / width;
  const outputs = mean.length;
  const out = new Float64Array(rows * outputs);
  for (let row = 0; row < rows; row++) {
    let state = values.subarray(row * width, (row + 1) * width);
    for (const [i, { weight, bias }] of layers.entries()) {
      const next = Float64Array.from(bias);
      for (let k = 0; k < state.length; k++) {
        for (let j = 0; j < next.length; j++) next[j] += state[k] * weight[k * next.length + j];
      }
      state = i < layers.length - 1 ? next.map((value) => Math.max(0, value)) : next;
    }
    for (let j = 0; j < outputs; j++) out[row * outputs + j] = mean[j] + state[j] * deviation[j];
  }
  return { values: out, width: outputs };
}

function tensorOf(engine: Engine, { values, width }: Rows): Tensor {
  return engine.buffer([values.length / width, width], Float32Array.from(values));
}
