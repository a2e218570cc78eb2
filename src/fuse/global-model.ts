// [coordinator] The global model g (Eq. 8): alignment, consensus graph, two-layer GCN, mean over owners.
import type { Engine } from '../core/engine.ts';
import { alignmentUniform, fanOutUniform, uniform } from '../core/initialise.ts';
import { add } from '../core/ops/add.ts';
import { affine } from '../core/ops/affine.ts';
import { type EdgeSampling, MARGIN } from '../core/ops/edge-quantiles.ts';
import { graphConvolution } from '../core/ops/graph-convolution.ts';
import { knnGraph } from '../core/ops/knn-graph.ts';
import { mask } from '../core/ops/mask.ts';
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
import { edgeProbabilities } from './edge-probabilities.ts';
import type { FusionConfig } from './fusion-config.ts';
import type { Draw, FusionModel, FusionShape, Graphs, OwnerBatch } from './fusion-model.ts';

/** Streams of the model's seed, so that no two uses share a number. */
const STREAMS = { weights: 0, alignment: 1, edges: 2, neighbours: 3 } as const;

export class GlobalModel implements FusionModel {
  readonly config: FusionConfig;
  readonly shape: FusionShape;
  /** By name: W0 [d, h], b0, W1 [h, classes], b1, and where the config asks for them P [n, d, dᵢ], theta [n, n], W_knn. */
  readonly parameters: Record<string, Tensor> = {};
  readonly #engine: Engine;
  readonly #given: Tensor | undefined;

  /** `learned`: names of the parameters that may change; the others are constants. Default: all may. */
  constructor(engine: Engine, config: FusionConfig, shape: FusionShape, { learned }: { learned?: string[] } = {}) {
    this.config = config;
    this.shape = shape;
    this.#engine = engine;
    const { owners, classes, aligned: width = shape.width } = shape;
    const { hidden, seed } = config;
    const weights = new RandomStream(seed, STREAMS.weights);
    const learn = (name: string, dims: number[], values: Float32Array) => {
      const isLearned = learned?.includes(name) ?? true;
      this.parameters[name] = isLearned ? engine.parameter(dims, values) : engine.buffer(dims, values);
    };
    learn('W0', [width, hidden], fanOutUniform(weights, [width, hidden], hidden));
    learn('b0', [hidden], fanOutUniform(weights, [hidden], hidden));
    learn('W1', [hidden, classes], fanOutUniform(weights, [hidden, classes], classes));
    learn('b1', [classes], fanOutUniform(weights, [classes], classes));
    if (config.alignment !== 'none') learn('P', [owners, width, shape.width], firstAlignments(seed, shape));
    if (isLearned(config.graph)) {
      learn('theta', [owners, owners], uniform(new RandomStream(seed, STREAMS.edges), [owners, owners], 0, 1));
    }
    if (config.graph === 'knn') {
      const random = new RandomStream(seed, STREAMS.neighbours);
      learn('W_knn', [width, hidden], fanOutUniform(random, [width, hidden], hidden));
    }
    this.#given = config.graph === 'given' ? this.#givenGraph() : undefined;
  }

  forward(tape: Tape, { embeddings, present }: OwnerBatch, graphs: Graphs): { logits: Tensor; penalty?: Tensor } {
    const { W0, b0, W1, b1 } = this.parameters;
    const alignment = this.#alignment(tape);
    const project = (weight: Tensor) => projectAligned(tape, embeddings, alignment, weight);
    const { convolved, pooling } = this.#convolve(tape, project, W0, present, graphs);
    // A mean over owners turns the second layer into a weighted mean: (1/n)·mᵀÂX = (1/n)·(Âᵀm)ᵀX, m = 1 or the mask.
    const weights = present && pooling ? mask(tape, pooling, present) : (pooling ?? present);
    const pooled = weightedMean(tape, relu(tape, convolved, b0), weights);
    const logits = present
      ? add(tape, affine(tape, pooled, W1), this.#maskedBias(tape, b1, present))
      : affine(tape, pooled, W1, b1);
    return this.config.alignment === 'hard' && alignment
      ? { logits, penalty: rowEntropy(tape, alignment) }
      : { logits };
  }

  afterUpdate(): void {
    const { theta } = this.parameters;
    if (!this.config.projectEdges || !theta) return;
    // Well inside, so that the clamp does not act on them.
    const [low, high] = [2 * MARGIN, 1 - 2 * MARGIN];
    const values = theta.data;
    for (let i = 0; i < values.length; i++) values[i] = Math.min(high, Math.max(low, values[i]));
  }

  /** P as prediction uses it: [owner, d, dᵢ]; undefined without alignment. */
  alignments(): Float32Array | undefined {
    const tape = this.#engine.inferenceTape();
    const values = this.#alignment(tape)?.data.slice();
    tape.dispose();
    return values;
  }

  dispose(): void {
    for (const tensor of Object.values(this.parameters)) this.#engine.free(tensor);
    if (this.#given) this.#engine.free(this.#given);
  }

  #alignment(tape: Tape): Tensor | undefined {
    const { alignment, sinkhorn: parameterisation, sweeps } = this.config;
    if (alignment !== 'hard') return this.parameters.P;
    return sinkhorn(tape, this.parameters.P, { parameterisation, sweeps });
  }

  /** Absent owners' outputs are zero, so the second layer's bias counts once per owner present: mean(m)·b1. */
  #maskedBias(tape: Tape, bias: Tensor, present: Tensor): Tensor {
    const [batch, owners] = present.shape;
    const share = weightedMean(tape, present.view(batch, owners, 1));
    return affine(tape, share, bias.view(1, bias.size));
  }

  /** ÂXW [sample, n, h], and the pooling weights Âᵀm: [n] or [sample, n], none without a graph */
  #convolve(
    tape: Tape,
    project: (weight: Tensor) => Tensor,
    weight: Tensor,
    present: Tensor | undefined,
    graphs: Graphs,
  ): { convolved: Tensor; pooling?: Tensor } {
    const { graph, skip } = this.config;
    const projected = project(weight);
    if (graph === 'none') return { convolved: projected };
    if (isLearned(graph) && graphs !== 'mean' && (graphs.per ?? this.config.graphsPer) === 'example') {
      const options = { ...this.#sampling(graphs), skip, ...(present && { present }) };
      return sampledGraphConvolution(tape, this.parameters.theta, projected, options);
    }
    const { owners } = this.shape;
    const normalised = symmetricNormalise(tape, this.#sharedGraph(tape, project, graphs), { skip });
    const ones = () => tape.constant([1, owners], new Float32Array(owners).fill(1));
    const pooling = present ? affine(tape, present, normalised) : affine(tape, ones(), normalised).view(owners);
    return { convolved: graphConvolution(tape, normalised, projected), pooling };
  }

  /** A [n, n] of a whole batch */
  #sharedGraph(tape: Tape, project: (weight: Tensor) => Tensor, graphs: Graphs): Tensor {
    const { graph, neighbours } = this.config;
    if (this.#given) return this.#given;
    const { theta, W_knn } = this.parameters;
    if (graph === 'knn') return knnGraph(tape, project(W_knn), { neighbours });
    if (graphs !== 'mean') return relaxedBernoulli(tape, theta, this.#sampling(graphs));
    const { owners } = this.shape;
    return tape.constant([owners, owners], edgeProbabilities(theta.data, owners));
  }

  #sampling({ per: _, ...draw }: Draw): EdgeSampling {
    const { graph, reference, temperature } = this.config;
    return { relaxation: graph === 'gumbel' ? 'gumbel' : reference, temperature, ...draw };
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

/** Where a seed's alignments start: [owner, d, dᵢ] */
export function firstAlignments(seed: number, { owners, width, aligned = width }: FusionShape): Float32Array {
  return alignmentUniform(new RandomStream(seed, STREAMS.alignment), owners, aligned, width);
}

const isLearned = (graph: FusionConfig['graph']): boolean => graph === 'icdf' || graph === 'gumbel';

/** (P_i h_i)ᵀW for every example and owner; without alignment h_iᵀW */
function projectAligned(tape: Tape, embeddings: Tensor, alignment: Tensor | undefined, weight: Tensor): Tensor {
  if (!alignment) return affine(tape, embeddings, weight);
  return perOwnerAffine(tape, embeddings, projectMatrices(tape, alignment, weight));
}
