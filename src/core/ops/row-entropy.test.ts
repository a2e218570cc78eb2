import { afterAll, describe, expect, it } from 'vitest';
import { checkOp } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import type { RandomStream } from '../random.ts';
import * as reference from '../reference/row-entropy.ts';
import { rowEntropy } from './row-entropy.ts';

const probabilities = (size: number) => (random: RandomStream) =>
  Float32Array.from({ length: size }, () => 0.001 + random.uniform());

checkOp('rowEntropy: −(1/rows) Σ p log p', {
  inputs: { p: { shape: [3, 5, 7], values: probabilities(105) } },
  op: (tape, { p }) => rowEntropy(tape, p),
  reference: ({ p }) => reference.rowEntropy(p, 7),
});

checkOp('rowEntropy over several tasks', {
  inputs: { p: { shape: [207, 8, 9], values: probabilities(14904) } },
  op: (tape, { p }) => rowEntropy(tape, p),
  reference: ({ p }) => reference.rowEntropy(p, 9),
});

checkOp('rowEntropy of a single number', {
  inputs: { p: { shape: [1], values: probabilities(1) } },
  op: (tape, { p }) => rowEntropy(tape, p),
  reference: ({ p }) => reference.rowEntropy(p, 1),
});

describe('rowEntropy', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());
  const tape = engine.tape();

  it('is 0 for permutations and log d for uniform rows', () => {
    expect(rowEntropy(tape, engine.buffer([3, 3], [0, 1, 0, 0, 0, 1, 1, 0, 0])).item()).toBeCloseTo(0, 10);
    expect(rowEntropy(tape, engine.buffer([6, 5], new Array(30).fill(0.2))).item()).toBeCloseTo(Math.log(5), 6);
  });

  it('has a finite slope at 0', () => {
    const p = engine.parameter([2, 2], [0, 1, 1, 0]);
    tape.backward(rowEntropy(tape, p));
    expect(p.gradient[0]).toBeCloseTo(43.17, 2);
    expect(p.gradient[1]).toBeCloseTo(-0.5, 6);
  });

  it('refuses an input without rows', () => {
    expect(() => rowEntropy(tape, engine.buffer([0, 4]))).toThrow(
      'rowEntropy input: must hold at least one row, got [0, 4]',
    );
    expect(() => rowEntropy(tape, engine.buffer([]))).toThrow('rowEntropy input: must hold at least one row, got []');
  });
});
