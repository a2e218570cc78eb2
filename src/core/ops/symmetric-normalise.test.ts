import { afterAll, describe, expect, it } from 'vitest';
import { checkOp } from '../../../test/support/check-op.ts';
import fc from '../../../test/support/seeded-fast-check.ts';
import { Engine } from '../engine/engine.ts';
import type { RandomStream } from '../random.ts';
import * as reference from '../reference/symmetric-normalise.ts';
import { symmetricNormalise } from './symmetric-normalise.ts';

const weights = (n: number) => (random: RandomStream) => Float32Array.from({ length: n * n }, () => random.uniform());

checkOp('symmetricNormalise: D^{-1/2}(A + I)D^{-1/2} of an asymmetric graph', {
  inputs: { adjacency: { shape: [7, 7], values: weights(7) } },
  op: (tape, { adjacency }) => symmetricNormalise(tape, adjacency),
  reference: ({ adjacency }) => reference.symmetricNormalise(adjacency, 7),
});

checkOp('symmetricNormalise with the skip connection, over several tasks', {
  inputs: { adjacency: { shape: [149, 149], values: weights(149) } },
  op: (tape, { adjacency }) => symmetricNormalise(tape, adjacency, { skip: true }),
  reference: ({ adjacency }) => reference.symmetricNormalise(adjacency, 149, true),
});

describe('symmetricNormalise', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());

  it('gives every row of a regular graph the sum 1', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 12 }), (n, reach) => {
        const tape = engine.tape();
        // A ring in which each owner is joined to the next `reach` on either side.
        const ring = Float32Array.from({ length: n * n }, (_, at) => {
          const away = Math.abs(Math.floor(at / n) - (at % n));
          return away > 0 && Math.min(away, n - away) <= reach ? 1 : 0;
        });
        const { data } = symmetricNormalise(tape, tape.constant([n, n], ring));
        for (let i = 0; i < n; i++) {
          expect(data.subarray(i * n, (i + 1) * n).reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 5);
        }
        tape.dispose();
      }),
    );
  });

  it('is 1 for a single owner, whatever its self loop', () => {
    const tape = engine.tape();
    const adjacency = engine.parameter([1, 1], [0.7]);
    const out = symmetricNormalise(tape, adjacency);
    expect(out.item()).toBeCloseTo(1, 6);
    out.gradient.fill(1);
    tape.replay();
    expect(adjacency.gradient[0]).toBeCloseTo(0, 6);
    tape.dispose();
  });

  it('leaves owners without edges to themselves', () => {
    const tape = engine.tape();
    expect([...symmetricNormalise(tape, tape.constant([2, 2], [0, 0, 0, 0])).data]).toEqual([1, 0, 0, 1]);
    expect([...symmetricNormalise(tape, tape.constant([2, 2], [0, 0, 0, 0]), { skip: true }).data]).toEqual([
      2, 0, 0, 2,
    ]);
    tape.dispose();
  });

  it('refuses a matrix that is not square', () => {
    const tape = engine.tape();
    expect(() => symmetricNormalise(tape, engine.buffer([3, 4]))).toThrow(
      'symmetricNormalise adjacency: shape must be [3, 3], got [3, 4]',
    );
    expect(() => symmetricNormalise(tape, engine.buffer([]))).toThrow(
      'symmetricNormalise adjacency: shape must be [n, n], got []',
    );
    expect(() => symmetricNormalise(tape, engine.buffer([0, 0]))).toThrow(
      'symmetricNormalise adjacency: must hold at least one owner, got 0',
    );
  });
});
