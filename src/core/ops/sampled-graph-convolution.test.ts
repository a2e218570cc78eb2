import { afterAll, describe, expect, it } from 'vitest';
import { checkOp } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import type { RandomStream } from '../random.ts';
import * as reference from '../reference/sampled-graph-convolution.ts';
import type { RelaxationKind } from './edge-quantiles.ts';
import { sampledGraphConvolution } from './sampled-graph-convolution.ts';

const KINDS: RelaxationKind[] = ['normal', 'logistic', 'uniform', 'gumbel'];
const probabilities = (count: number) => (random: RandomStream) =>
  Float32Array.from({ length: count }, () => 0.02 + 0.96 * random.uniform());

for (const relaxation of KINDS) {
  for (const [batch, n, h, skip] of [
    [3, 11, 5, true],
    [2, 20, 8, false],
  ] as const) {
    const options = { relaxation, temperature: 0.4, seed: 9, step: 2, skip };
    checkOp(`sampled graph convolution, ${relaxation}, ${n} owners, ${skip ? 'with' : 'without'} skip`, {
      inputs: { theta: { shape: [n, n], values: probabilities(n * n) }, x: { shape: [batch, n, h] } },
      op: (tape, { theta, x }) => {
        const { convolved, pooling } = sampledGraphConvolution(tape, theta, x, options);
        return [convolved, pooling];
      },
      reference: ({ theta, x }) => reference.sampledGraphConvolution(theta, x, { ...options, n, h }),
    });
  }
}

const present = [1, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 1, 1];
checkOp('sampled graph convolution with absent owners', {
  inputs: {
    theta: { shape: [7, 7], values: probabilities(49) },
    x: { shape: [2, 7, 9] },
    mask: { shape: [2, 7], values: () => present, constant: true },
  },
  op: (tape, { theta, x, mask }) => {
    const options = { relaxation: 'normal', temperature: 0.4, seed: 9, step: 2, skip: true, present: mask } as const;
    const { convolved, pooling } = sampledGraphConvolution(tape, theta, x, options);
    return [convolved, pooling];
  },
  reference: ({ theta, x, mask }) =>
    reference.sampledGraphConvolution(theta, x, {
      n: 7,
      h: 9,
      relaxation: 'normal',
      temperature: 0.4,
      seed: 9,
      step: 2,
      skip: true,
      present: mask,
    }),
});

describe('sampled graph convolution', () => {
  const engine = new Engine({ threads: 2 });
  afterAll(() => engine.dispose());
  const options = { relaxation: 'normal', temperature: 0.1, seed: 1, step: 0, skip: true } as const;

  it('keeps one float per edge and example, not three matrices', () => {
    const [batch, n, h] = [8, 200, 8];
    const tape = engine.tape();
    const theta = engine.parameter([n, n], new Float32Array(n * n).fill(0.3));
    const { convolved } = sampledGraphConvolution(tape, theta, engine.parameter([batch, n, h]), options);
    convolved.gradient.fill(1);
    tape.replay();
    expect(tape.arena.peak).toBeLessThan(batch * n * n * 4);
  });

  it('refuses an input whose owners do not match the graph', () => {
    const theta = engine.buffer([5, 5]);
    expect(() => sampledGraphConvolution(engine.tape(), theta, engine.buffer([2, 4, 3]), options)).toThrow(
      'sampled graph convolution input: shape must be [batch, 5, h], got [2, 4, 3]',
    );
  });

  it('refuses a mask of another shape', () => {
    const call = () =>
      sampledGraphConvolution(engine.tape(), engine.buffer([4, 4]), engine.buffer([2, 4, 3]), {
        ...options,
        present: engine.buffer([2, 5]),
      });
    expect(call).toThrow('sampled graph convolution present: shape must be [2, 4], got [2, 5]');
  });
});
