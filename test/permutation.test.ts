// The ambiguity that alignment removes (Eq. 7, Supplement A): permuting the units of a local model through its weights
// permutes the embedding and, with the head's rows permuted alike, leaves the predictions as they are. (The head's bias
// has one entry per class; the paper's b[π] of Eq. 7 can only mean the unpermuted one.)

import { afterAll, describe, expect, it } from 'vitest';
import { Engine } from '../src/core/engine/engine.ts';
import type { Tape } from '../src/core/engine/tape.ts';
import { sizeOf, type Tensor } from '../src/core/engine/tensor.ts';
import { affine } from '../src/core/ops/affine.ts';
import { gru } from '../src/core/ops/gru.ts';
import { lstm } from '../src/core/ops/lstm.ts';
import { weightedTimeSum } from '../src/core/ops/weighted-time-sum.ts';
import { RandomStream } from '../src/core/random.ts';
import fc from './support/seeded-fast-check.ts';

const engine = new Engine({ threads: 1 });
afterAll(() => engine.dispose());

/** A matrix or vector of weights: which of its axes count hidden units, gate by gate. */
interface Weight {
  shape: number[];
  permuted: boolean[];
}

interface Sizes {
  time: number;
  width: number;
  hidden: number;
}

interface Model {
  weights: (sizes: Sizes) => Record<string, Weight>;
  /** x: [batch, time, width] → [batch, hidden] */
  embed: (tape: Tape, x: Tensor, weights: Record<string, Tensor>) => Tensor;
}

/** Rows of W and b per gate; rows per gate and columns of U. The weights over time are shared by all units. */
const recurrent = (op: typeof lstm, gates: number): Model => ({
  weights: ({ time, width, hidden }) => ({
    weightInput: { shape: [gates * hidden, width], permuted: [true, false] },
    weightHidden: { shape: [gates * hidden, hidden], permuted: [true, true] },
    biasInput: { shape: [gates * hidden], permuted: [true] },
    biasHidden: { shape: [gates * hidden], permuted: [true] },
    timeWeights: { shape: [time], permuted: [false] },
    timeBias: { shape: [1], permuted: [false] },
  }),
  embed: (tape, x, w) => {
    const states = op(tape, x, w.weightInput, w.weightHidden, w.biasInput, w.biasHidden);
    return weightedTimeSum(tape, states, w.timeWeights, w.timeBias);
  },
});

const models: Record<string, Model> = {
  LSTM: recurrent(lstm, 4),
  GRU: recurrent(gru, 3),
  'ReLU(Ux + c)': {
    weights: ({ time, width, hidden }) => ({
      weight: { shape: [time * width, hidden], permuted: [false, true] },
      bias: { shape: [hidden], permuted: [true] },
    }),
    embed: (tape, x, w) => {
      const y = affine(tape, x.view(x.shape[0], x.size / x.shape[0]), w.weight, w.bias);
      return tape.constant(
        y.shape,
        y.data.map((value) => Math.max(0, value)),
      );
    },
  },
};

/** values[…, π, …] along every permuted axis; an axis of several gates is permuted within each. */
function permute(values: Float32Array, { shape, permuted }: Weight, order: Uint32Array): Float32Array {
  const columns = shape[1] ?? 1;
  const source = (index: number, axis: number) => {
    const unit = index % order.length;
    return permuted[axis] ? index - unit + order[unit] : index;
  };
  return values.map((_, at) => {
    const row = Math.floor(at / columns);
    return values[source(row, 0) * columns + source(at % columns, 1)];
  });
}

describe.each(Object.entries(models))('permuting the units of %s', (_name, model) => {
  const sizes = fc.record({
    batch: fc.integer({ min: 1, max: 20 }),
    time: fc.integer({ min: 1, max: 12 }),
    width: fc.integer({ min: 1, max: 4 }),
    hidden: fc.integer({ min: 1, max: 20 }),
    classes: fc.integer({ min: 2, max: 4 }),
    seed: fc.nat(),
  });

  it('permutes the embedding and leaves the predictions unchanged', () => {
    fc.assert(
      fc.property(sizes, ({ batch, classes, seed, ...size }) => {
        const { time, width, hidden } = size;
        const random = new RandomStream(seed, 0);
        const draw = (shape: number[]) => {
          const values = new Float32Array(sizeOf(shape));
          random.fillUniform(values, -1, 1);
          return values;
        };
        const head: Record<string, Weight> = {
          headWeight: { shape: [hidden, classes], permuted: [true, false] },
          headBias: { shape: [classes], permuted: [false] },
        };
        const weights = Object.entries({ ...model.weights(size), ...head }).map(
          ([name, weight]) => [name, weight, draw(weight.shape)] as const,
        );
        const x = draw([batch, time, width]);
        const order = random.permutation(hidden);
        const predict = (change: (values: Float32Array, weight: Weight) => Float32Array) => {
          const tape = engine.inferenceTape();
          const tensors = Object.fromEntries(
            weights.map(([name, weight, values]) => [name, tape.constant(weight.shape, change(values, weight))]),
          );
          const embedding = model.embed(tape, tape.constant([batch, time, width], x), tensors);
          const logits = affine(tape, embedding, tensors.headWeight, tensors.headBias);
          const found = { embedding: embedding.data.slice(), logits: logits.data.slice() };
          tape.dispose();
          return found;
        };
        const plain = predict((values) => values);
        const changed = predict((values, weight) => permute(values, weight, order));
        const wanted = permute(plain.embedding, { shape: [batch, hidden], permuted: [false, true] }, order);
        expectEqual(changed.embedding, wanted);
        expectEqual(changed.logits, plain.logits);
      }),
      { numRuns: 60 },
    );
  });
});

/** Equal but for the order in which float32 sums were rounded. */
function expectEqual(got: Float32Array, wanted: Float32Array): void {
  got.forEach((value, i) => {
    expect(Math.abs(value - wanted[i]), `[${i}] is ${value}, wanted ${wanted[i]}`).toBeLessThanOrEqual(
      2e-5 * Math.max(1, Math.abs(wanted[i])),
    );
  });
}
