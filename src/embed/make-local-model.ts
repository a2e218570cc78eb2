// [owner] The architectures f3 trains itself: LSTM (the paper's), GRU, temporal convolution, and ReLU(Ux + c) (Eq. 3).
import type { Engine } from '../core/engine/engine.ts';
import type { Tape } from '../core/engine/tape.ts';
import type { Tensor } from '../core/engine/tensor.ts';
import { add } from '../core/ops/add.ts';
import { affine } from '../core/ops/affine.ts';
import { causalWindows } from '../core/ops/causal-windows.ts';
import { gru } from '../core/ops/gru.ts';
import { lstm } from '../core/ops/lstm.ts';
import { relu } from '../core/ops/relu.ts';
import { tanh } from '../core/ops/tanh.ts';
import { weightedTimeSum } from '../core/ops/weighted-time-sum.ts';
import { uniform } from '../core/optimizer/initialise.ts';
import { RandomStream } from '../core/random.ts';
import type { LocalModel, LocalModelKind, LocalModelOptions, WindowShape } from './local-model.ts';

const STREAMS = { body: 0, head: 1 } as const;

/**
 * A model with fresh weights, drawn as PyTorch does: U(±1/√fan_in) for dense layers, U(±1/√hidden) for recurrent ones.
 */
export function makeLocalModel(engine: Engine, shape: WindowShape, options: LocalModelOptions): LocalModel {
  const { kind, bottleneck, classes, seed, tiedHead } = options;
  const random = new RandomStream(seed, STREAMS.body);
  const parameters: Record<string, Tensor> = {};
  const learn = (name: string, dims: number[], fan: number) => {
    parameters[name] = engine.parameter(dims, uniform(random, dims, -1 / Math.sqrt(fan), 1 / Math.sqrt(fan)));
    return parameters[name];
  };
  const wide = makeBody(kind, learn, shape, options.width);
  const embed = bottleneck === undefined ? wide : narrowed(wide, learn, options.width, bottleneck);
  const width = bottleneck ?? options.width;
  const body = Object.values(parameters);

  const headRandom = new RandomStream(tiedHead ?? seed, STREAMS.head);
  const allocate = (dims: number[], values: Float32Array) =>
    tiedHead === undefined ? engine.parameter(dims, values) : engine.buffer(dims, values);
  const bound = 1 / Math.sqrt(width);
  const weight = allocate([width, classes], uniform(headRandom, [width, classes], -bound, bound));
  const bias = allocate([classes], uniform(headRandom, [classes], -bound, bound));
  parameters['head.weight'] = weight;
  parameters['head.bias'] = bias;
  return {
    width,
    parameters,
    learned: tiedHead === undefined ? [...body, weight, bias] : body,
    embed,
    classify: (tape, embedding) => affine(tape, embedding, weight, bias),
    dispose: () => {
      for (const tensor of Object.values(parameters)) engine.free(tensor);
    },
  };
}

type Learn = (name: string, dims: number[], fan: number) => Tensor;
type Embed = (tape: Tape, windows: Tensor) => Tensor;

function makeBody(kind: LocalModelKind, learn: Learn, shape: WindowShape, width: number): Embed {
  if (kind === 'dense') return denseBody(learn, shape, width);
  return kind === 'tcn' ? convolutionBody(learn, shape, width) : recurrentBody(kind, learn, shape, width);
}

/** Steps that a layer of a temporal convolution sees at once. */
const TAPS = 3;

/** Layers of dilation 1, 2, 4, … until the last step sees the whole window, and two at least. */
const convolutionLayers = (length: number): number => Math.max(2, Math.ceil(Math.log2((length - 1) / (TAPS - 1) + 1)));

/**
 * A small temporal convolution: x_1 = ReLU(x ∗ W_1 + b_1), x_l = x_{l−1} + ReLU(x_{l−1} ∗ W_l + b_l), where ∗ is causal
 * with dilation 2^(l−1), and h = Σ_t a_t x_{L,t} + b as for an LSTM.
 */
function convolutionBody(learn: Learn, { length, variates }: WindowShape, width: number): Embed {
  const layers = Array.from({ length: convolutionLayers(length) }, (_, i) => {
    const inputs = TAPS * (i === 0 ? variates : width);
    return {
      window: { taps: TAPS, dilation: 2 ** i },
      weight: learn(`layers.${i}.weight`, [inputs, width], inputs),
      bias: learn(`layers.${i}.bias`, [width], inputs),
    };
  });
  const timeWeights = learn('time.weight', [length], length);
  const timeBias = learn('time.bias', [1], length);
  return (tape, windows) => {
    let states: Tensor | undefined;
    for (const { window, weight, bias } of layers) {
      const seen = causalWindows(tape, states ?? windows, window);
      const change = relu(tape, affine(tape, seen, weight), bias);
      states = states ? add(tape, states, change) : change;
    }
    return weightedTimeSum(tape, states as Tensor, timeWeights, timeBias);
  };
}

/** h = Σ_t a_t h_t + b over the hidden states of an LSTM or GRU. */
function recurrentBody(kind: 'lstm' | 'gru', learn: Learn, { length, variates }: WindowShape, width: number): Embed {
  const gates = kind === 'lstm' ? 4 : 3;
  const layer = kind === 'lstm' ? lstm : gru;
  const weights = [
    learn('weight_ih', [gates * width, variates], width),
    learn('weight_hh', [gates * width, width], width),
    learn('bias_ih', [gates * width], width),
    learn('bias_hh', [gates * width], width),
  ] as const;
  const timeWeights = learn('time.weight', [length], length);
  const timeBias = learn('time.bias', [1], length);
  return (tape, windows) => weightedTimeSum(tape, layer(tape, windows, ...weights), timeWeights, timeBias);
}

/** tanh(hᵀV + c): few numbers, none beyond ±1, so that a length of √d cuts nothing off when noise is added. */
function narrowed(wide: Embed, learn: Learn, width: number, bottleneck: number): Embed {
  const weight = learn('bottleneck.weight', [width, bottleneck], width);
  const bias = learn('bottleneck.bias', [bottleneck], width);
  return (tape, windows) => tanh(tape, affine(tape, wide(tape, windows), weight, bias));
}

/** ReLU(Ux + c) over the flattened window. */
function denseBody(learn: Learn, { length, variates }: WindowShape, width: number): Embed {
  const inputs = length * variates;
  const weight = learn('dense.weight', [inputs, width], inputs);
  const bias = learn('dense.bias', [width], inputs);
  return (tape, windows) => relu(tape, affine(tape, windows.view(windows.shape[0], inputs), weight), bias);
}
