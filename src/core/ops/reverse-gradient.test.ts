import { afterAll, describe, expect, it } from 'vitest';
import { Engine } from '../engine/engine.ts';
import { add } from './add.ts';
import { reverseGradient } from './reverse-gradient.ts';
import { squaredError } from './squared-error.ts';

describe('reverseGradient', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());

  it('passes numbers on, and gradients back with the other sign and its weight, added to what is there', () => {
    const tape = engine.tape();
    const values = [0.5, -1, 2, 3];
    const target = engine.buffer([2, 2], [1, 1, 1, 1]);
    const slopeOf = (weight: number | undefined) => {
      const x = engine.parameter([2, 2], values);
      const y = weight === undefined ? x : reverseGradient(tape, x, weight);
      expect(Array.from(y.data)).toEqual(values);
      tape.backward(squaredError(tape, y, target));
      return Array.from(x.gradient);
    };
    const plain = slopeOf(undefined);
    expect(slopeOf(0.25)).toEqual(plain.map((slope) => -0.25 * slope));
    const x = engine.parameter([2, 2], values);
    tape.backward(add(tape, squaredError(tape, x, target), squaredError(tape, reverseGradient(tape, x, 1), target)));
    expect(Array.from(x.gradient)).toEqual([0, 0, 0, 0]);
    tape.dispose();
  });

  it('refuses a weight that is not above 0', () => {
    expect(() => reverseGradient(engine.tape(), engine.buffer([1]), 0)).toThrow(
      'reverseGradient weight: must be above 0, got 0',
    );
  });
});
