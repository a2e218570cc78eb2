import { afterAll, describe, expect, it } from 'vitest';
import { checkOp } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import * as reference from '../reference/layer-norm.ts';
import { layerNorm } from './layer-norm.ts';

for (const shape of [[3, 5, 16], [4, 7], [2, 3], [6], [1501, 13]]) {
  checkOp(`layerNorm on [${shape}]`, {
    inputs: { x: { shape }, gain: { shape: shape.slice(-1) }, shift: { shape: shape.slice(-1) } },
    op: (tape, { x, gain, shift }) => layerNorm(tape, x, gain, shift),
    reference: ({ x, gain, shift }) => reference.layerNorm(x, gain, shift, 1e-5),
  });
}

for (const width of [1, 2]) {
  checkOp(`layerNorm of width ${width}, where only a large epsilon leaves a gradient`, {
    inputs: { x: { shape: [5, width] }, gain: { shape: [width] }, shift: { shape: [width] } },
    op: (tape, { x, gain, shift }) => layerNorm(tape, x, gain, shift, 0.5),
    reference: ({ x, gain, shift }) => reference.layerNorm(x, gain, shift, 0.5),
  });
}

checkOp('layerNorm of a constant with a large epsilon', {
  inputs: { x: { shape: [5, 6], constant: true }, gain: { shape: [6] }, shift: { shape: [6] } },
  op: (tape, { x, gain, shift }) => layerNorm(tape, x, gain, shift, 0.5),
  reference: ({ x, gain, shift }) => reference.layerNorm(x, gain, shift, 0.5),
});

describe('layerNorm', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());
  const tape = engine.tape();

  it('gives the shift for rows without variance, with a finite gradient', () => {
    const x = engine.parameter([2, 3], [5, 5, 5, 0, 0, 0]);
    const y = layerNorm(tape, x, engine.buffer([3], [1, 2, 3]), engine.buffer([3], [4, 5, 6]));
    expect([...y.data]).toEqual([4, 5, 6, 4, 5, 6]);
    y.gradient.set([1, 0, 0, 0, 0, 1]);
    tape.replay();
    for (const slope of x.gradient) expect(slope).toSatisfy(Number.isFinite);
  });

  it('refuses a gain or shift of the wrong length and an epsilon that is not positive', () => {
    const x = engine.buffer([4, 3]);
    const [three, two] = [engine.buffer([3]), engine.buffer([2])];
    expect(() => layerNorm(tape, x, two, three)).toThrow('layerNorm gain: shape must be [3], got [2]');
    expect(() => layerNorm(tape, x, three, two)).toThrow('layerNorm shift: shape must be [3], got [2]');
    expect(() => layerNorm(tape, x, three, three, 0)).toThrow('layerNorm epsilon: must be positive, got 0');
  });
});
