import { afterAll, describe, expect, it } from 'vitest';
import { checkOp } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import type { RandomStream } from '../random.ts';
import * as reference from '../reference/relaxed-bernoulli.ts';
import type { RelaxationKind } from './edge-quantiles.ts';
import { relaxedBernoulli } from './relaxed-bernoulli.ts';

const KINDS: RelaxationKind[] = ['normal', 'logistic', 'uniform', 'gumbel'];
const probabilities = (count: number) => (random: RandomStream) =>
  Float32Array.from({ length: count }, () => 0.02 + 0.96 * random.uniform());

for (const relaxation of KINDS) {
  for (const n of [1, 4, 11]) {
    checkOp(`relaxed Bernoulli graph of ${n} owners, ${relaxation}`, {
      inputs: { theta: { shape: [n, n], values: probabilities(n * n) } },
      op: (tape, { theta }) => relaxedBernoulli(tape, theta, { relaxation, temperature: 0.4, seed: 3, step: 5 }),
      reference: ({ theta }) => reference.relaxedBernoulli(theta, n, relaxation, 0.4, { seed: 3, step: 5 }),
    });
  }
}

describe('relaxed Bernoulli sampling', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());
  const sampling = { relaxation: 'normal', temperature: 0.1, seed: 1, step: 0 } as const;

  it('passes no gradient to probabilities outside the clamp', () => {
    const theta = engine.parameter([3, 3], [0, 0.00005, 0.5, 0, 0, 1, 0, 0, 0]);
    const tape = engine.tape();
    const graph = relaxedBernoulli(tape, theta, { ...sampling, temperature: 2 });
    graph.gradient.fill(1);
    tape.replay();
    expect(theta.gradient[1]).toBe(0);
    expect(theta.gradient[2]).toBeGreaterThan(0);
    expect(theta.gradient[5]).toBe(0);
  });

  it('draws another graph for another step, seed or stream, and the same for the same', () => {
    const theta = engine.buffer([9, 9], new Float32Array(81).fill(0.5));
    const draw = (change: object) => relaxedBernoulli(engine.inferenceTape(), theta, { ...sampling, ...change }).data;
    expect(draw({})).toEqual(draw({}));
    for (const change of [{ step: 1 }, { seed: 2 }, { stream: 1 }]) expect(draw(change)).not.toEqual(draw({}));
  });

  it('refuses a matrix that is not square', () => {
    expect(() => relaxedBernoulli(engine.tape(), engine.buffer([3, 4]), sampling)).toThrow(
      'edge probabilities: shape must be [n, 3], got [3, 4]',
    );
  });

  it('refuses a temperature of zero and an unknown relaxation', () => {
    const theta = engine.buffer([3, 3]);
    expect(() => relaxedBernoulli(engine.tape(), theta, { ...sampling, temperature: 0 })).toThrow(
      'temperature: must be positive, got 0',
    );
    expect(() => relaxedBernoulli(engine.tape(), theta, { ...sampling, relaxation: 'cauchy' as 'normal' })).toThrow(
      'relaxation: must be one of normal, logistic, uniform, gumbel, got cauchy',
    );
  });
});
