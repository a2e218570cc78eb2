// [coordinator] The optimizer that a config names: Adam for everything, or SGD with momentum for weights beside Adam for edges.
import type { Engine } from '../../core/engine/engine.ts';
import type { Tensor } from '../../core/engine/tensor.ts';
import { Adam, type Optimizer, type OptimizerState, Sgd } from '../../core/optimizer/optimizer.ts';
import { EDGE_RATE, SGD_MOMENTUM } from '../fusion-config.ts';
import type { FusionModel } from '../model/fusion-model.ts';

/** `learned`: the parameters of `model` that may change; `rateScale`: factor on the learning rate of one of them */
export function fusionOptimizer(
  engine: Engine,
  model: FusionModel,
  learned: readonly Tensor[],
  rateScale: (parameter: Tensor) => number = () => 1,
): Optimizer {
  const { learningRate, weightDecay, optimizer } = model.config;
  const decays = (parameter: Tensor) => hasDecay(model, parameter);
  if (optimizer === 'adam') return new Adam(engine, learned, { learningRate, weightDecay, decays, rateScale });
  const isEdge = (parameter: Tensor) => parameter === model.parameters.theta;
  const weights = learned.filter((parameter) => !isEdge(parameter));
  const edges = learned.filter(isEdge);
  const parts: Record<string, Optimizer> = {};
  if (weights.length > 0) parts.weights = new Sgd(engine, weights, { learningRate, momentum: SGD_MOMENTUM, rateScale });
  if (edges.length > 0) parts.edges = new Adam(engine, edges, { learningRate: EDGE_RATE, rateScale });
  return new OptimizerParts(parts);
}

/** Biases and other single rows do not decay, nor what the model excepts. */
function hasDecay({ parameters, undecayed = [] }: FusionModel, parameter: Tensor): boolean {
  return parameter.shape.length > 1 && !undecayed.some((name) => parameters[name] === parameter);
}

/** Several optimizers, each for parameters of its own, that step together. */
class OptimizerParts implements Optimizer {
  readonly #parts: Readonly<Record<string, Optimizer>>;
  #steps = 0;

  constructor(parts: Readonly<Record<string, Optimizer>>) {
    this.#parts = parts;
  }

  /** The rate of the weights; edge probabilities keep their own. */
  get learningRate(): number {
    return this.#parts.weights?.learningRate ?? 0;
  }

  set learningRate(rate: number) {
    if (this.#parts.weights) this.#parts.weights.learningRate = rate;
  }

  step(): void {
    this.#steps++;
    for (const part of Object.values(this.#parts)) part.step();
  }

  /** The arrays of a part have names that begin with its own. */
  state(): OptimizerState {
    const arrays = Object.entries(this.#parts).flatMap(([name, part]) =>
      Object.entries(part.state().arrays).map(([key, values]) => [`${name}.${key}`, values] as const),
    );
    return { steps: this.#steps, arrays: Object.fromEntries(arrays) };
  }

  restore({ steps, arrays }: OptimizerState): void {
    for (const [name, part] of Object.entries(this.#parts)) {
      const own = Object.entries(arrays).flatMap(([key, values]) =>
        key.startsWith(`${name}.`) ? [[key.slice(name.length + 1), values] as const] : [],
      );
      part.restore({ steps, arrays: Object.fromEntries(own) });
    }
    this.#steps = steps;
  }

  dispose(): void {
    for (const part of Object.values(this.#parts)) part.dispose();
  }
}
