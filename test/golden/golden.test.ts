// Values and gradients against PyTorch's (test/golden/make.py): one entry of `cases` per file.
import { afterAll, describe, it } from 'vitest';
import { Engine } from '../../src/core/engine/engine.ts';
import type { KernelBuild } from '../../src/core/engine/kernels.ts';
import type { Tape } from '../../src/core/engine/tape.ts';
import type { Tensor } from '../../src/core/engine/tensor.ts';
import { add } from '../../src/core/ops/add.ts';
import { affine } from '../../src/core/ops/affine.ts';
import { causalWindows } from '../../src/core/ops/causal-windows.ts';
import { gru } from '../../src/core/ops/gru.ts';
import { layerNorm } from '../../src/core/ops/layer-norm.ts';
import { lstm } from '../../src/core/ops/lstm.ts';
import { relu } from '../../src/core/ops/relu.ts';
import { selfAttention } from '../../src/core/ops/self-attention.ts';
import { softmaxCrossEntropy } from '../../src/core/ops/softmax-cross-entropy.ts';
import { weightedMean } from '../../src/core/ops/weighted-mean.ts';
import { weightedTimeSum } from '../../src/core/ops/weighted-time-sum.ts';
import { Golden } from '../support/golden.ts';

type Tensors = Record<string, Tensor>;
/** Computes the results to compare, by their names in the file; `loss` is what the gradients are of. */
type Case = (tape: Tape, parameters: Tensors, golden: Golden) => Tensors & { loss: Tensor };

const localModel =
  (recurrent: typeof lstm): Case =>
  (tape, p, golden) => {
    const states = recurrent(tape, p.x, p.weightInput, p.weightHidden, p.biasInput, p.biasHidden);
    const embedding = weightedTimeSum(tape, states, p.timeWeights, p.timeBias);
    const logits = affine(tape, embedding, p.headWeight, p.headBias);
    const loss = softmaxCrossEntropy(tape, logits, golden.values('labels'));
    return { states, embedding, logits, loss };
  };

/** The layers of `makeLocalModel`'s temporal convolution. */
const temporalConvolution: Case = (tape, p, golden) => {
  const layer = (x: Tensor, weight: Tensor, bias: Tensor, dilation: number) =>
    relu(tape, affine(tape, causalWindows(tape, x, { taps: 3, dilation }), weight), bias);
  const first = layer(p.x, p.weight0, p.bias0, 1);
  const states = add(tape, first, layer(first, p.weight1, p.bias1, 2));
  const embedding = weightedTimeSum(tape, states, p.timeWeights, p.timeBias);
  const logits = affine(tape, embedding, p.headWeight, p.headBias);
  const loss = softmaxCrossEntropy(tape, logits, golden.values('labels'));
  return { states, embedding, logits, loss };
};

/** A set transformer's block: attention and a feed-forward layer, each with residual and norm, then the mean and a head. */
const setTransformer: Case = (tape, p, golden) => {
  const constant = (name: string) => tape.constant(golden.shape(name), golden.values(name));
  const q = affine(tape, p.x, p.queryWeight, p.queryBias);
  const k = affine(tape, p.x, p.keyWeight, constant('keyBias'));
  const v = affine(tape, p.x, p.valueWeight, p.valueBias);
  const heads = selfAttention(tape, q, k, v, { heads: 4, present: constant('present') });
  const attended = affine(tape, heads, p.outputWeight, p.outputBias);
  const middle = layerNorm(tape, add(tape, p.x, attended), p.gain0, p.shift0);
  const inside = relu(tape, affine(tape, middle, p.innerWeight), p.innerBias);
  const outside = affine(tape, inside, p.outerWeight, p.outerBias);
  const block = layerNorm(tape, add(tape, middle, outside), p.gain1, p.shift1);
  const logits = affine(tape, weightedMean(tape, block), p.headWeight, p.headBias);
  const loss = softmaxCrossEntropy(tape, logits, golden.values('labels'));
  return { attended, block, logits, loss };
};

const cases: Record<string, Case> = {
  lstm: localModel(lstm),
  gru: localModel(gru),
  tcn: temporalConvolution,
  attention: setTransformer,
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
      tape.backward(results.loss);
      golden.expectGradients(parameters, TOLERANCE);
    });
  });
});
