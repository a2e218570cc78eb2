import { afterAll, describe, expect, it } from 'vitest';
import { affine } from '../ops/affine.ts';
import { Engine } from './engine.ts';

const engine = new Engine({ threads: 1 });
afterAll(() => engine.dispose());

/** loss = Σ x_i w_i as a [1, 1] tensor */
function dot(tape: ReturnType<Engine['tape']>, w: ReturnType<Engine['parameter']>) {
  return affine(tape, tape.constant([1, 3], [1, 2, 3]), w).view(1);
}

describe('tape', () => {
  it('adds gradients of a parameter used twice, and of successive steps', () => {
    const w = engine.parameter([3, 1], [1, 1, 1]);
    const tape = engine.tape();
    const hidden = affine(tape, tape.constant([2, 3], [1, 0, 0, 0, 1, 0]), w);
    const loss = affine(tape, hidden.view(1, 2), engine.buffer([2, 1], [1, 1])).view(1);
    tape.backward(loss);
    expect([...w.gradient]).toEqual([1, 1, 0]);
    tape.reset();
    tape.backward(dot(tape, w));
    expect([...w.gradient]).toEqual([2, 3, 3]);
  });

  it('passes gradients through a view', () => {
    const w = engine.parameter([1, 3], [1, 1, 1]);
    const tape = engine.tape();
    tape.backward(dot(tape, w.view(3, 1)));
    expect([...w.gradient]).toEqual([1, 2, 3]);
  });

  it('uses the same memory for every step', () => {
    const w = engine.parameter([3, 1], [1, 1, 1]);
    const tape = engine.tape();
    const used = () => {
      tape.reset();
      tape.backward(dot(tape, w));
      return engine.memory.used;
    };
    const first = used();
    for (let i = 0; i < 100; i++) expect(used()).toBe(first);
  });

  it('records nothing on an inference tape', () => {
    const w = engine.parameter([3, 1], [1, 1, 1]);
    const tape = engine.inferenceTape();
    const loss = dot(tape, w);
    expect(loss.item()).toBe(6);
    expect(loss.needsGradient).toBe(false);
    expect(() => tape.backward(loss)).toThrow('backward: the loss depends on no parameter');
  });

  it('refuses a loss that is not a scalar', () => {
    const tape = engine.tape();
    const y = affine(tape, tape.constant([2, 3], [1, 2, 3, 4, 5, 6]), engine.parameter([3, 1]));
    expect(() => tape.backward(y)).toThrow('backward: the loss must be a scalar, got [2, 1]');
  });

  it('refuses values that do not fill the shape', () => {
    expect(() => engine.tape().constant([2, 2], [1, 2, 3])).toThrow('constant: [2, 2] must hold 4 numbers, got 3');
    expect(() => engine.parameter([2, 2], [1])).toThrow('tensor: [2, 2] must hold 4 numbers, got 1');
    expect(() => engine.buffer([4]).view(3)).toThrow('view: [3] must hold 4 numbers like [4]');
  });
});
