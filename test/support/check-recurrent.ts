// The suite that lstm and gru pass: checkOp on awkward sizes, saturated gates, inference, and the messages on bad shapes.
import { afterAll, describe, expect, it } from 'vitest';
import { Engine } from '../../src/core/engine/engine.ts';
import type { Tape } from '../../src/core/engine/tape.ts';
import type { Tensor } from '../../src/core/engine/tensor.ts';
import { RandomStream } from '../../src/core/random.ts';
import { checkOp, expectClose, type OpCase } from './check-op.ts';

type Name = 'x' | 'weightInput' | 'weightHidden' | 'biasInput' | 'biasHidden';

export type RecurrentOp = (
  tape: Tape,
  x: Tensor,
  weightInput: Tensor,
  weightHidden: Tensor,
  biasInput: Tensor,
  biasHidden: Tensor,
) => Tensor;

export type RecurrentReference = (
  x: Float64Array,
  weightInput: Float64Array,
  weightHidden: Float64Array,
  biasInput: Float64Array,
  biasHidden: Float64Array,
  time: number,
  width: number,
) => Float64Array;

export interface Sizes {
  batch: number;
  time: number;
  width: number;
  hidden: number;
}

/** Shapes of an LSTM's (4 gates) or GRU's (3 gates) input and weights. */
export function recurrentShapes(gates: number, { batch, time, width, hidden }: Sizes): Record<Name, number[]> {
  return {
    x: [batch, time, width],
    weightInput: [gates * hidden, width],
    weightHidden: [gates * hidden, hidden],
    biasInput: [gates * hidden],
    biasHidden: [gates * hidden],
  };
}

export function checkRecurrent(name: string, gates: 3 | 4, op: RecurrentOp, reference: RecurrentReference): void {
  function check(claim: string, sizes: Sizes, change: Partial<OpCase<Name>['inputs']> = {}) {
    const shapes = recurrentShapes(gates, sizes);
    const inputs = {} as OpCase<Name>['inputs'];
    for (const key of Object.keys(shapes) as Name[]) inputs[key] = { shape: shapes[key], ...change[key] };
    checkOp(`${name} ${claim}`, {
      inputs,
      op: (tape, i) => op(tape, i.x, i.weightInput, i.weightHidden, i.biasInput, i.biasHidden),
      reference: (i) =>
        reference(i.x, i.weightInput, i.weightHidden, i.biasInput, i.biasHidden, sizes.time, sizes.width),
    });
  }

  check('of a few short sequences', { batch: 5, time: 4, width: 2, hidden: 6 });
  check('of one step of one number into one unit', { batch: 1, time: 1, width: 1, hidden: 1 });
  check('as in the paper preset, several tasks', { batch: 19, time: 3, width: 1, hidden: 16 });
  check('of wide inputs, an odd number of vectors of units', { batch: 2, time: 7, width: 5, hidden: 9 });
  check('of more examples than parts of the gradient have blocks', { batch: 270, time: 2, width: 3, hidden: 4 });
  check('of sequences longer than a block', { batch: 3, time: 70, width: 1, hidden: 5 });
  const sizes = { batch: 6, time: 5, width: 2, hidden: 7 };
  const { x } = recurrentShapes(gates, sizes);
  check('of inputs that need no gradient', sizes, { x: { shape: x, constant: true } });
  // With raw speeds, as in the paper's preset, most gates are saturated.
  const speeds = (random: RandomStream) => Float32Array.from({ length: 60 }, () => 70 * random.uniform());
  check('of raw speeds of 0 to 70', sizes, { x: { shape: x, values: speeds } });

  describe(name, () => {
    const engine = new Engine({ threads: 1 });
    afterAll(() => engine.dispose());

    function tensors(sizes: Sizes, make: 'parameter' | 'buffer' = 'buffer', scale = 1): Tensor[] {
      const random = new RandomStream(3, 0);
      return Object.values(recurrentShapes(gates, sizes)).map((shape) => {
        const tensor = engine[make](shape);
        random.fillUniform(tensor.data, -scale, scale);
        return tensor;
      });
    }
    const run = (tape: Tape, [x, weightInput, weightHidden, biasInput, biasHidden]: Tensor[]) =>
      op(tape, x, weightInput, weightHidden, biasInput, biasHidden);

    it('gives the same bits without recording', () => {
      const inputs = tensors({ batch: 11, time: 6, width: 3, hidden: 10 }, 'parameter');
      const recorded = run(engine.tape(), inputs).data.slice();
      expect(run(engine.inferenceTape(), inputs).data).toEqual(recorded);
    });

    it('adds to gradients that are already there', () => {
      const inputs = tensors({ batch: 3, time: 2, width: 3, hidden: 5 }, 'parameter');
      const passes = [0, 1].map(() => {
        const tape = engine.tape();
        run(tape, inputs).gradient.fill(1);
        tape.replay();
        return inputs.map((tensor) => tensor.gradient.slice());
      });
      passes[0].forEach((once, n) => {
        expectClose(
          passes[1][n],
          once.map((value) => 2 * value),
          1e-6,
          `gradient ${n}`,
        );
      });
    });

    it('stays finite where every gate is saturated', () => {
      const inputs = tensors({ batch: 9, time: 12, width: 2, hidden: 6 }, 'parameter', 1e4);
      const tape = engine.tape();
      const states = run(tape, inputs);
      states.gradient.fill(1);
      tape.replay();
      for (const values of [states.data, ...inputs.map((tensor) => tensor.gradient)]) {
        expect(values.every(Number.isFinite)).toBe(true);
      }
    });

    it('lets NaN through, for its own sequence only', () => {
      const inputs = tensors({ batch: 3, time: 2, width: 2, hidden: 5 });
      inputs[0].data[5] = Number.NaN;
      const states = [...run(engine.tape(), inputs).data];
      expect(states.map(Number.isNaN)).toEqual(states.map((_, i) => i >= 10 && i < 20));
    });

    const tape = engine.tape();
    const good = { batch: 2, time: 3, width: 4, hidden: 5 };
    const given = (index: number, shape: number[]) => () => {
      const inputs = tensors(good);
      inputs[index] = engine.buffer(shape);
      return run(tape, inputs);
    };
    const rows = gates * 5;

    it('refuses an input without a time axis', () => {
      expect(given(0, [2, 4])).toThrow(`${name} x: shape must be [batch, time, in], got [2, 4]`);
    });

    it('refuses an empty batch', () => {
      expect(given(0, [0, 3, 4])).toThrow(`${name} x: batch, time and in must be at least 1, got [0, 3, 4]`);
    });

    it('refuses weights of other shapes', () => {
      expect(given(1, [rows, 3])).toThrow(`${name} weightInput: shape must be [${rows}, 4], got [${rows}, 3]`);
      expect(given(2, [rows])).toThrow(`${name} weightHidden: shape must be [${gates}·hidden, hidden], got [${rows}]`);
      expect(given(2, [rows + 1, 5])).toThrow(`${name} weightHidden: shape must be [${rows}, 5], got [${rows + 1}, 5]`);
      expect(given(3, [5])).toThrow(`${name} biasInput: shape must be [${rows}], got [5]`);
      expect(given(4, [rows, 1])).toThrow(`${name} biasHidden: shape must be [${rows}], got [${rows}, 1]`);
    });
  });
}
