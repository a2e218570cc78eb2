// [coordinator] The global model g (Eq. 8): alignment, consensus graph, two-layer GCN, mean over owners.
import type { Engine } from '../core/engine.ts';
import { alignmentUniform, fanOutUniform, uniform } from '../core/initialise.ts';
import { affine } from '../core/ops/affine.ts';
import type { EdgeSampling } from '../core/ops/edge-quantiles.ts';
import { graphConvolution } from '../core/ops/graph-convolution.ts';
import { knnGraph } from '../core/ops/knn-graph.ts';
import { perOwnerAffine } from '../core/ops/per-owner-affine.ts';
import { projectMatrices } from '../core/ops/project-matrices.ts';
import { relaxedBernoulli } from '../core/ops/relaxed-bernoulli.ts';
import { relu } from '../core/ops/relu.ts';
import { rowEntropy } from '../core/ops/row-entropy.ts';
import { sampledGraphConvolution } from '../core/ops/sampled-graph-convolution.ts';
import { sinkhorn } from '../core/ops/sinkhorn.ts';
import { symmetricNormalise } from '../core/ops/symmetric-normalise.ts';
import { weightedMean } from '../core/ops/weighted-mean.ts';
import { RandomStream } from '../core/random.ts';
import type { Tape } from '../core/tape.ts';
import type { Tensor } from '../core/tensor.ts';
import type { FusionConfig } from './fusion-config.ts';

export interface FusionShape {
  owners: number;
  /** d */
  width: number;
  classes: number;
  /** [owner, owner], for `graph: 'given'`: positive entries are edges. */
  adjacency?: ArrayLike<number>;
}

/** Which random graphs to draw. */
export type Draw = Pick<EdgeSampling, 'seed' | 'step' | 'stream'>;

/** Streams of the model's seed, so that no two uses share a number. */
const STREAMS = { weights: 0, alignment: 1, edges: 2, neighbours: 3 } as const;

export class GlobalModel {
  readonly config: FusionConfig;
  readonly shape: FusionShape;
  /** By name: W0 [d, h], b0, W1 [h, classes], b1, and where the config asks for them P [n, d, d], theta [n, n], W_knn. */
  readonly parameters: Record<string, Tensor> = {};
  readonly #engine: Engine;
  readonly #given: Tensor | undefined;

  constructor(engine: Engine, config: FusionConfig, shape: FusionShape) {
    this.config = config;
    this.shape = shape;
    this.#engine = engine;
    const { owners, width, classes } = shape;
    const { hidden, seed } = config;
    const weights = new RandomStream(seed, STREAMS.weights);
    const learn = (name: string, dims: number[], values: Float32Array) => {
      this.parameters[name] = engine.parameter(dims, values);
    };
    learn('W0', [width, hidden], fanOutUniform(weights, [width, hidden], hidden));
    learn('b0', [hidden], fanOutUniform(weights, [hidden], hidden));
    learn('W1', [hidden, classes], fanOutUniform(weights, [hidden, classes], classes));
    learn('b1', [classes], fanOutUniform(weights, [classes], classes));
    if (config.alignment !== 'none') {
      learn(
        'P',
        [owners, width, width],
        alignmentUniform(new RandomStream(seed, STREAMS.alignment), owners, width, width),
      );
    }
    if (config.graph === 'icdf' || config.graph === 'gumbel') {
      learn('theta', [owners, owners], uniform(new RandomStream(seed, STREAMS.edges), [owners, owners], 0, 1));
    }
    if (config.graph === 'knn') {
      learn(
        'W_knn',
        [width, hidden],
        fanOutUniform(new RandomStream(seed, STREAMS.neighbours), [width, hidden], hidden),
      );
    }
    this.#given = config.graph === 'given' ? this.#givenGraph() : undefined;
  }

  get parameterList(): Tensor[] {
    return Object.values(this.parameters);
  }

  /** embeddings: [batch, owner, d] → logits [batch, classes], and what the loss adds to the cross-entropy. */
  forward(tape: Tape, embeddings: Tensor, draw: Draw): { logits: Tensor; penalty?: Tensor } {
    const { W0, b0, W1, b1 } = this.parameters;
    const alignment = this.#alignment(tape);
    const project = (weight: Tensor) => projectAligned(tape, embeddings, alignment, weight);
    const { convolved, pooling } = this.#convolve(tape, project(W0), project, draw);
    // A mean over owners turns the second layer into a weighted mean: (1/n)·1ᵀÂX = (1/n)·(Âᵀ1)ᵀX.
    const pooled = weightedMean(tape, relu(tape, convolved, b0), pooling);
    const logits = affine(tape, pooled, W1, b1);
    return this.config.alignment === 'hard' && alignment
      ? { logits, penalty: rowEntropy(tape, alignment) }
      : { logits };
  }

  dispose(): void {
    for (const tensor of this.parameterList) this.#engine.free(tensor);
    if (this.#given) this.#engine.free(this.#given);
  }

  /** P: [owner, d, d] */
  #alignment(tape: Tape): Tensor | undefined {
    const { alignment, sinkhorn: parameterisation, sweeps } = this.config;
    if (alignment !== 'hard') return this.parameters.P;
    return sinkhorn(tape, this.parameters.P, { parameterisation, sweeps });
  }

  #convolve(
    tape: Tape,
    projected: Tensor,
    project: (weight: Tensor) => Tensor,
    draw: Draw,
  ): { convolved: Tensor; pooling?: Tensor } {
    const { graph, graphsPer, reference, temperature, neighbours, skip } = this.config;
    if (graph === 'none') return { convolved: projected };
    const relaxation = graph === 'gumbel' ? 'gumbel' : reference;
    const sampling: EdgeSampling = { relaxation, temperature, ...draw };
    if ((graph === 'icdf' || graph === 'gumbel') && graphsPer === 'example') {
      return sampledGraphConvolution(tape, this.parameters.theta, projected, { ...sampling, skip });
    }
    const adjacency =
      this.#given ??
      (graph === 'knn'
        ? knnGraph(tape, project(this.parameters.W_knn), { neighbours })
        : relaxedBernoulli(tape, this.parameters.theta, sampling));
    const normalised = symmetricNormalise(tape, adjacency, { skip });
    const ones = tape.constant([1, this.shape.owners], new Float32Array(this.shape.owners).fill(1));
    const pooling = affine(tape, ones, normalised).view(this.shape.owners);
    return { convolved: graphConvolution(tape, normalised, projected), pooling };
  }

  #givenGraph(): Tensor {
    const { owners, adjacency } = this.shape;
    if (!adjacency) throw new Error('given graph: the shape must carry an adjacency');
    const edges = Float32Array.from({ length: owners * owners }, (_, at) => {
      const onDiagonal = at % (owners + 1) === 0;
      return !onDiagonal && adjacency[at] > 0 ? 1 : 0;
    });
    return this.#engine.buffer([owners, owners], edges);
  }
}

/** (P_i h_i)ᵀW for every example and owner; without alignment h_iᵀW */
function projectAligned(tape: Tape, embeddings: Tensor, alignment: Tensor | undefined, weight: Tensor): Tensor {
  if (!alignment) return affine(tape, embeddings, weight);
  return perOwnerAffine(tape, embeddings, projectMatrices(tape, alignment, weight));
}
