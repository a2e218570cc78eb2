// [coordinator] The consensus graph of a training on shares: the coordinator samples it, learns θ by Adam from opened gradients, and keeps it in the clear.
import type { Engine } from '../../core/engine/engine.ts';
import type { Tape } from '../../core/engine/tape.ts';
import type { Tensor } from '../../core/engine/tensor.ts';
import { type EdgeSampling, MARGIN } from '../../core/ops/edge-quantiles.ts';
import { relaxedBernoulli } from '../../core/ops/relaxed-bernoulli.ts';
import { Adam, type OptimizerState } from '../../core/optimizer/optimizer.ts';
import { EDGE_RATE, type FusionConfig } from '../fusion-config.ts';
import { edgeProbabilities } from '../model/edge-probabilities.ts';
import { type PredictionGraphs, predictionDraws } from '../model/predict-logits.ts';
import { TRAINING_STREAM } from '../training/training-draws.ts';

/** What a checkpoint keeps of the edges. */
export interface EdgeState {
  theta: Float32Array;
  best: Float32Array;
  optimizer: OptimizerState;
}

/** θ and its optimiser. */
export class EdgeLearner {
  readonly #config: FusionConfig;
  readonly #owners: number;
  readonly #engine: Engine;
  readonly #theta: Tensor;
  readonly #optimizer: Adam;
  readonly #tape: Tape;
  #best: Float32Array;
  #sampled: Tensor | undefined;

  /** `theta`: first edge probabilities [owner, owner] */
  constructor(engine: Engine, config: FusionConfig, owners: number, theta: Float32Array) {
    this.#config = config;
    this.#owners = owners;
    this.#engine = engine;
    this.#theta = engine.parameter([owners, owners], theta);
    this.#optimizer = new Adam(engine, [this.#theta], { learningRate: EDGE_RATE });
    this.#tape = engine.tape();
    this.#best = theta.slice();
  }

  get theta(): Float32Array {
    return this.#theta.data.slice();
  }

  /** The graph of a step [owner, owner], as in the clear. */
  sample(step: number): Float32Array {
    this.#tape.reset();
    const { seed } = this.#config;
    this.#sampled = relaxedBernoulli(this.#tape, this.#theta, this.#sampling({ seed, step, stream: TRAINING_STREAM }));
    return this.#sampled.data.slice();
  }

  /** `gradients`: of each edge of the last sample, i < j in order. */
  learn(gradients: Float64Array): void {
    if (!this.#sampled) throw new Error('edges: a graph must be sampled before its gradients are learned from');
    const { gradient } = this.#sampled;
    let at = 0;
    for (let i = 0; i < this.#owners; i++) {
      for (let j = i + 1; j < this.#owners; j++) gradient[i * this.#owners + j] = gradients[at++];
    }
    this.#tape.replay();
    this.#sampled = undefined;
    this.#optimizer.step();
    if (!this.#config.projectEdges) return;
    const values = this.#theta.data;
    for (let i = 0; i < values.length; i++) values[i] = Math.min(1 - 2 * MARGIN, Math.max(2 * MARGIN, values[i]));
  }

  /** The graphs whose predictions are averaged. */
  predictionGraphs(graphs: PredictionGraphs = this.#config.predictionGraphs): Float32Array[] {
    return sampledGraphs(this.#engine, this.#config, this.#owners, this.#theta.data.slice(), graphs);
  }

  keepBest(): void {
    this.#best = this.theta;
  }

  useBest(): void {
    this.#theta.data.set(this.#best);
  }

  state(): EdgeState {
    return { theta: this.theta, best: this.#best, optimizer: this.#optimizer.state() };
  }

  restore({ theta, best, optimizer }: EdgeState): void {
    this.#theta.data.set(theta);
    this.#best = best;
    this.#optimizer.restore(optimizer);
  }

  dispose(): void {
    this.#tape.dispose();
    this.#optimizer.dispose();
    this.#engine.free(this.#theta);
  }

  #sampling(draw: Pick<EdgeSampling, 'seed' | 'step' | 'stream'>): EdgeSampling {
    return edgeSampling(this.#config, draw);
  }
}

function edgeSampling(
  { graph, reference, temperature }: FusionConfig,
  draw: Pick<EdgeSampling, 'seed' | 'step' | 'stream'>,
): EdgeSampling {
  return { relaxation: graph === 'gumbel' ? 'gumbel' : reference, temperature, ...draw };
}

/** The graphs over which predictions of a learned θ are averaged, or that of the probabilities themselves. */
export function sampledGraphs(
  engine: Engine,
  config: FusionConfig,
  owners: number,
  theta: Float32Array,
  graphs: PredictionGraphs,
): Float32Array[] {
  const tape = engine.inferenceTape();
  const made = predictionDraws(config, graphs).map((draw) => {
    if (draw === 'mean') return edgeProbabilities(theta, owners);
    const { per: _, ...place } = draw;
    return relaxedBernoulli(tape, tape.constant([owners, owners], theta), edgeSampling(config, place)).data.slice();
  });
  tape.dispose();
  return made;
}
