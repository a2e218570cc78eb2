// Values and gradients against PyTorch's (test/golden/make.py): one entry of `cases` per file.
import { afterAll, describe, it } from 'vitest';
import { Engine } from '../../src/core/engine.ts';
import type { KernelBuild } from '../../src/core/kernels.ts';
import { affine } from '../../src/core/ops/affine.ts';
import { gru } from '../../src/core/ops/gru.ts';
import { lstm } from '../../src/core/ops/lstm.ts';
import { weightedTimeSum } from '../../src/core/ops/weighted-time-sum.ts';
import type { Tape } from '../../src/core/tape.ts';
import type { Tensor } from '../../src/core/tensor.ts';
import { Golden } from '../support/golden.ts';

type Tensors = Record<string, Tensor>;
/** Computes the results to compare, by their names in the file, and starts the gradients where the loss depends on them. */
type Case = (tape: Tape, parameters: Tensors, golden: Golden) => Tensors;

const localModel =
  (recurrent: typeof lstm): Case =>
  (tape, p, golden) => {
    const states = recurrent(tape, p.x, p.weightInput, p.weightHidden, p.biasInput, p.biasHidden);
    const embedding = weightedTimeSum(tape, states, p.timeWeights, p.timeBias);
    const logits = affine(tape, embedding, p.headWeight, p.headBias);
    const loss = tape.constant([], [startFromCrossEntropy(logits, golden.values('labels'))]);
    return { states, embedding, logits, loss };
  };

/** The mean loss; its derivative (softmax − one-hot) / batch becomes the gradient of the logits. */
function startFromCrossEntropy(logits: Tensor, labels: number[]): number {
  const [batch, classes] = logits.shape;
  let loss = 0;
  for (let e = 0; e < batch; e++) {
    const powers = Array.from(logits.data.subarray(e * classes, (e + 1) * classes), Math.exp);
    const total = powers.reduce((sum, power) => sum + power, 0);
    loss -= Math.log(powers[labels[e]] / total) / batch;
    powers.forEach((power, k) => {
      logits.gradient[e * classes + k] = (power / total - (k === labels[e] ? 1 : 0)) / batch;
    });
  }
  return loss;
}

const cases: Record<string, Case> = {
  lstm: localModel(lstm),
  gru: localModel(gru),
};

const TOLERANCE = 1e-4;

describe.each(Object.entries(cases))('%s', (name, run) => {
  describe.each(['simd', 'relaxed'] as KernelBuild[])('%s kernels', (build) => {
    const engine = new Engine({ threads: 1, build });
    afterAll(() => engine.dispose());

    it('gives PyTorch’s values and gradients', () => {
      const golden = new Golden(name);
      const tape = engine.tape();
      const parameters = golden.parameters(engine);
      const results = run(tape, parameters, golden);
      for (const [result, tensor] of Object.entries(results)) golden.expectClose(tensor, result, TOLERANCE);
      tape.replay();
      golden.expectGradients(parameters, TOLERANCE);
    });
  });
});
