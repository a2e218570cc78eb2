// [coordinator] The global model g (Eq. 8): alignment, consensus graph, two-layer GCN, mean over owners.
import type { Engine } from '../../core/engine/engine.ts';
import type { Tape } from '../../core/engine/tape.ts';
import type { Tensor } from '../../core/engine/tensor.ts';
import { add } from '../../core/ops/add.ts';
import { affine } from '../../core/ops/affine.ts';
import { type EdgeSampling, MARGIN } from '../../core/ops/edge-quantiles.ts';
import { graphConvolution } from '../../core/ops/graph-convolution.ts';
import { knnGraph } from '../../core/ops/knn-graph.ts';
import { mask } from '../../core/ops/mask.ts';
import { perOwnerAffine } from '../../core/ops/per-owner-affine.ts';
import { projectMatrices } from '../../core/ops/project-matrices.ts';
import { relaxedBernoulli } from '../../core/ops/relaxed-bernoulli.ts';
import { relu } from '../../core/ops/relu.ts';
import { rowEntropy } from '../../core/ops/row-entropy.ts';
import { sampledGraphConvolution } from '../../core/ops/sampled-graph-convolution.ts';
import { sinkhorn } from '../../core/ops/sinkhorn.ts';
import { symmetricNormalise } from '../../core/ops/symmetric-normalise.ts';
import { weightedMean } from '../../core/ops/weighted-mean.ts';
import { alignmentUniform, fanOutUniform, uniform } from '../../core/optimizer/initialise.ts';
import { RandomStream } from '../../core/random.ts';
import type { FusionConfig } from '../fusion-config.ts';
import { undoDropout } from '../training/drop-owners.ts';
import { edgeProbabilities } from './edge-probabilities.ts';
import type { Draw, FusionModel, FusionShape, Graphs, OwnerBatch } from './fusion-model.ts';

/** Streams of the model's seed, so that no two uses share a number. */
const STREAMS = { weights: 0, alignment: 1, edges: 2, neighbours: 3 } as const;

/** What a pass needs that does not depend on samples. */
export interface PreparedPass {
  /** W0ᵀP_i [n, h, d]; none without alignment */
  projections?: Tensor | undefined;
  /** Â [n, n]; none without a graph */
  normalised?: Tensor;
  /** Âᵀ1 [n] */
  pooling?: Tensor;
}

export class GlobalModel implements FusionModel {
  readonly kind = 'consensus';
  readonly config: FusionConfig;
  /** By name: W0 [d, h], b0, W1 [h, classes], b1, and where the config asks for them P [n, d, dᵢ], theta [n, n], W_knn. */
  readonly parameters: Record<string, Tensor> = {};
  readonly #engine: Engine;
  /** Whether the neighbours came with the model and stay what they are. */
  readonly #isRefit: boolean;
  readonly #given: Tensor | undefined;
  #shape: FusionShape;
  /** A of a κ-NN graph that predictions share; undefined while each batch makes its own. */
  #frozen: Tensor | undefined;

  /** `learned`: names of the parameters that may change; the others are constants. Default: all may. */
  constructor(engine: Engine, config: FusionConfig, shape: FusionShape, { learned }: { learned?: string[] } = {}) {
    this.config = config;
    this.#shape = shape;
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
    if (shape.neighbours) this.#frozen = engine.buffer([owners, owners], shape.neighbours);
    this.#isRefit = shape.neighbours !== undefined;
  }

  get shape(): FusionShape {
    return this.#shape;
  }

  forward(tape: Tape, batch: OwnerBatch, graphs: Graphs): { logits: Tensor; penalty?: Tensor } {
    const { embeddings, present } = batch;
    const alignment = this.#alignment(tape);
    const project = (weight: Tensor) => projectAligned(tape, embeddings, alignment, weight);
    const { convolved, pooling } = this.#convolve(tape, project, present, graphs);
    // Their bias counts once per owner present too, so all of it is a sum over owners.
    const logits = undoDropout(tape, this.#readOut(tape, convolved, pooling, present), batch);
    return this.config.alignment === 'hard' && alignment
      ? { logits, penalty: rowEntropy(tape, alignment) }
      : { logits };
  }

  /** Whether an answer depends on its own sample alone: not where the graph is made from whoever is predicted together. */
  get isFrozen(): boolean {
    return this.config.graph !== 'knn' || this.#frozen !== undefined;
  }

  /** Takes the neighbours that owners have in `batch` for those of every later prediction. */
  freeze({ embeddings }: OwnerBatch): void {
    const { graph, neighbourGraph, neighbours } = this.config;
    if (graph !== 'knn' || neighbourGraph !== 'frozen' || this.#isRefit) return;
    const { owners } = this.#shape;
    const tape = this.#engine.inferenceTape();
    const projected = projectAligned(tape, embeddings, this.#alignment(tape), this.parameters.W_knn);
    const values = knnGraph(tape, projected, { neighbours }).data.slice();
    tape.dispose();
    this.#frozen ??= this.#engine.buffer([owners, owners]);
    this.#frozen.data.set(values);
    this.#shape = { ...this.#shape, neighbours: values };
  }

  /** All of a pass that does not depend on samples. */
  prepare(tape: Tape, graphs: Graphs): PreparedPass {
    const { graph, skip } = this.config;
    if (!this.isFrozen) throw new Error('a κ-NN graph that is not frozen cannot be made without samples');
    const alignment = this.#alignment(tape);
    const projections = alignment && projectMatrices(tape, alignment, this.parameters.W0);
    if (graph === 'none') return { projections };
    const normalised = symmetricNormalise(tape, this.#sharedGraph(tape, graphs), { skip });
    return { projections, normalised, pooling: this.#pooling(tape, normalised) };
  }

  /** (P_i h_i)ᵀW0 of a batch [sample, n, h], which all passes have in common. */
  projectPrepared(tape: Tape, embeddings: Tensor, { projections }: PreparedPass): Tensor {
    return projections ? perOwnerAffine(tape, embeddings, projections) : affine(tape, embeddings, this.parameters.W0);
  }

  /** The rest of a pass: the same logits as `forward` with one graph for the whole batch. */
  forwardPrepared(tape: Tape, projected: Tensor, present: Tensor | undefined, pass: PreparedPass): Tensor {
    const { normalised, pooling } = pass;
    if (!normalised) return this.#readOut(tape, projected, undefined, present);
    const weights = present ? this.#pooling(tape, normalised, present) : pooling;
    return this.#readOut(tape, graphConvolution(tape, normalised, projected), weights, present);
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
    if (this.#frozen) this.#engine.free(this.#frozen);
  }

  #alignment(tape: Tape): Tensor | undefined {
    const { alignment, sinkhorn: parameterisation, sweeps } = this.config;
    if (alignment !== 'hard') return this.parameters.P;
    return sinkhorn(tape, this.parameters.P, { parameterisation, sweeps });
  }

  /** ÂXW [sample, n, h], and the pooling weights Âᵀm: [n] or [sample, n], none without a graph */
  #convolve(
    tape: Tape,
    project: (weight: Tensor) => Tensor,
    present: Tensor | undefined,
    graphs: Graphs,
  ): { convolved: Tensor; pooling?: Tensor } {
    const { graph, skip, neighbours } = this.config;
    const { W0, W_knn, theta } = this.parameters;
    const projected = project(W0);
    if (graph === 'none') return { convolved: projected };
    if (isLearned(graph) && graphs !== 'mean' && (graphs.per ?? this.config.graphsPer) === 'example') {
      const options = { ...this.#sampling(graphs), skip, ...(present && { present }) };
      return sampledGraphConvolution(tape, theta, projected, options);
    }
    const isOwn = graph === 'knn' && !(this.#frozen && (graphs === 'mean' || this.#isRefit));
    const edges = isOwn ? knnGraph(tape, project(W_knn), { neighbours }) : this.#sharedGraph(tape, graphs);
    const normalised = symmetricNormalise(tape, edges, { skip });
    const pooling = this.#pooling(tape, normalised, present);
    return { convolved: graphConvolution(tape, normalised, projected), pooling };
  }

  /** A [n, n] of a whole batch that does not depend on it */
  #sharedGraph(tape: Tape, graphs: Graphs): Tensor {
    const fixed = this.#given ?? this.#frozen;
    if (fixed) return fixed;
    const { theta } = this.parameters;
    if (graphs !== 'mean') return relaxedBernoulli(tape, theta, this.#sampling(graphs));
    const { owners } = this.shape;
    return tape.constant([owners, owners], edgeProbabilities(theta.data, owners));
  }

  /** Âᵀm: [n] when everybody is present, otherwise [sample, n] */
  #pooling(tape: Tape, normalised: Tensor, present?: Tensor): Tensor {
    if (present) return affine(tape, present, normalised);
    const { owners } = this.shape;
    const ones = tape.constant([1, owners], new Float32Array(owners).fill(1));
    return affine(tape, ones, normalised).view(owners);
  }

  /**
   * A mean over owners turns the second layer into a weighted mean: (1/n)·mᵀÂX = (1/n)·(Âᵀm)ᵀX, m = 1 or the mask.
   * Absent owners' outputs are zero, so its bias counts once per owner present: mean(m)·b1.
   */
  #readOut(tape: Tape, convolved: Tensor, pooling: Tensor | undefined, present: Tensor | undefined): Tensor {
    const { b0, W1, b1 } = this.parameters;
    const hidden = relu(tape, convolved, b0);
    if (!present) return affine(tape, weightedMean(tape, hidden, pooling), W1, b1);
    const weights = pooling ? mask(tape, pooling, present) : present;
    const [batch, owners] = present.shape;
    const share = weightedMean(tape, present.view(batch, owners, 1));
    const bias = affine(tape, share, b1.view(1, b1.size));
    return add(tape, affine(tape, weightedMean(tape, hidden, weights), W1), bias);
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
