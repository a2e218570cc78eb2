// [coordinator] The global model g (Eq. 8): alignment or code per owner, consensus graph, two-layer GCN, mean over owners.
import type { Engine } from '../../core/engine/engine.ts';
import type { Tape } from '../../core/engine/tape.ts';
import type { Tensor } from '../../core/engine/tensor.ts';
import { affine } from '../../core/ops/affine.ts';
import { type EdgeSampling, MARGIN } from '../../core/ops/edge-quantiles.ts';
import { encodedProjection } from '../../core/ops/encoded-projection.ts';
import { graphConvolution } from '../../core/ops/graph-convolution.ts';
import { knnGraph } from '../../core/ops/knn-graph.ts';
import { perOwnerAffine } from '../../core/ops/per-owner-affine.ts';
import { projectMatrices } from '../../core/ops/project-matrices.ts';
import { quadratic } from '../../core/ops/quadratic.ts';
import { relaxedBernoulli } from '../../core/ops/relaxed-bernoulli.ts';
import { relu } from '../../core/ops/relu.ts';
import { rowEntropy } from '../../core/ops/row-entropy.ts';
import { sampledGraphConvolution } from '../../core/ops/sampled-graph-convolution.ts';
import { sinkhorn } from '../../core/ops/sinkhorn.ts';
import { symmetricNormalise } from '../../core/ops/symmetric-normalise.ts';
import { alignmentUniform, fanInUniform, fanOutUniform, uniform } from '../../core/optimizer/initialise.ts';
import { RandomStream } from '../../core/random.ts';
import type { FusionConfig } from '../fusion-config.ts';
import { undoDropout } from '../training/drop-owners.ts';
import { edgeProbabilities } from './edge-probabilities.ts';
import type { Draw, FusionModel, FusionShape, Graphs, OwnerBatch } from './fusion-model.ts';
import { maskOwners } from './mask-owners.ts';
import { layeredReadOut, linearReadOut } from './read-out.ts';

/** Streams of the model's seed, so that no two uses share a number. */
const STREAMS = { weights: 0, alignment: 1, edges: 2, neighbours: 3, tables: 6, ownerBiases: 7, layers: 8 } as const;

/** What a pass needs that does not depend on samples. */
export interface PreparedPass {
  /** W0ᵀP_i [n, h, d]; none without alignment */
  projections?: Tensor | undefined;
  /** Â [n, n]; none without a graph */
  normalised?: Tensor;
  /** Âᵀ1 [n] */
  pooling?: Tensor;
}

/** The global model: alignment per owner, consensus graph, two-layer graph convolution, mean over owners. */
export class GlobalModel implements FusionModel {
  readonly kind = 'consensus';
  readonly config: FusionConfig;
  /**
   * By name: W0 [d, h], b0, W1 [h, classes], b1, and where the config asks for them P [n, d, dᵢ], B [n, h], theta [n, n], W_knn.
   * With codes, T [n, dᵢ, bins, h] stands for W0 and P, or T [n, dᵢ, bins, d] for P alone; read out by layers, W1 [h, h] and b1 have W2 [h, classes] and b2 behind them.
   */
  readonly parameters: Record<string, Tensor> = {};
  /** Edge probabilities are no weights: nothing draws them to 0. */
  readonly undecayed = ['theta', 'B'];
  readonly #engine: Engine;
  /** Whether the neighbours came with the model and stay what they are. */
  readonly #isRefit: boolean;
  readonly #given: Tensor | undefined;
  /** Edges of the quantile bins [n, dᵢ, bins + 1]; none without codes */
  readonly #binEdges: Tensor | undefined;
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
    const hasW0 = config.encoding === 'none' || config.tables === 'common';
    if (hasW0) learn('W0', [width, hidden], fanOutUniform(weights, [width, hidden], hidden));
    learn('b0', [hidden], fanOutUniform(weights, [hidden], hidden));
    if (config.readout === 'linear') {
      learn('W1', [hidden, classes], fanOutUniform(weights, [hidden, classes], classes));
      learn('b1', [classes], fanOutUniform(weights, [classes], classes));
    } else {
      const layers = new RandomStream(seed, STREAMS.layers);
      for (const [name, to] of [
        ['1', hidden],
        ['2', classes],
      ] as const) {
        learn(`W${name}`, [hidden, to], fanInUniform(layers, [hidden, to], hidden));
        learn(`b${name}`, [to], fanInUniform(layers, [to], hidden));
      }
    }
    if (config.encoding === 'quantiles') learn('T', tableDims(config, shape), firstTables(config, shape));
    else if (config.alignment !== 'none') learn('P', [owners, width, shape.width], firstAlignments(config, shape));
    if (config.ownerBias && config.alignment !== 'none')
      learn('B', biasDims(config, shape), firstOwnerBiases(config, shape));
    if (isLearned(config.graph)) {
      learn('theta', [owners, owners], uniform(new RandomStream(seed, STREAMS.edges), [owners, owners], 0, 1));
    }
    if (config.graph === 'knn') {
      const random = new RandomStream(seed, STREAMS.neighbours);
      learn('W_knn', [width, hidden], fanOutUniform(random, [width, hidden], hidden));
    }
    this.#given = config.graph === 'given' ? this.#givenGraph() : undefined;
    this.#binEdges = config.encoding === 'quantiles' ? this.#givenBinEdges() : undefined;
    if (shape.neighbours) this.#frozen = engine.buffer([owners, owners], shape.neighbours);
    this.#isRefit = shape.neighbours !== undefined;
  }

  get lastLayer(): readonly string[] {
    return this.config.readout === 'linear' ? ['W1', 'b1'] : ['W2', 'b2'];
  }

  get shape(): FusionShape {
    return this.#shape;
  }

  forward(tape: Tape, batch: OwnerBatch, graphs: Graphs): { logits: Tensor; penalty?: Tensor } {
    const { embeddings, present } = batch;
    const alignment = this.#alignment(tape);
    const project = (weight?: Tensor) => {
      const projections = weight && alignment && projectMatrices(tape, alignment, weight);
      return this.#project(tape, embeddings, projections, present, weight);
    };
    const { convolved, pooling } = this.#convolve(tape, project, present, graphs);
    const readOut = this.#readOut(tape, convolved, pooling, present);
    // Their bias counts once per owner present too, so all of a linear read-out is a sum over owners.
    const logits = this.config.readout === 'linear' ? undoDropout(tape, readOut, batch) : readOut;
    return this.config.alignment === 'hard' && alignment
      ? { logits, penalty: rowEntropy(tape, alignment) }
      : { logits };
  }

  /** Whether an answer depends on its own sample alone. A graph made from the samples of a batch breaks that. */
  get isFrozen(): boolean {
    return this.config.graph !== 'knn' || this.#frozen !== undefined;
  }

  /** Takes the neighbours that owners have in `batch` for those of every later prediction. */
  freeze({ embeddings }: OwnerBatch): void {
    const { graph, neighbourGraph, neighbours } = this.config;
    if (graph !== 'knn' || neighbourGraph !== 'frozen' || this.#isRefit) return;
    const { owners } = this.#shape;
    const tape = this.#engine.inferenceTape();
    const alignment = this.#alignment(tape);
    const { W_knn } = this.parameters;
    const projections = alignment && projectMatrices(tape, alignment, W_knn);
    const projected = this.#project(tape, embeddings, projections, undefined, W_knn);
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
    const { W0 } = this.parameters;
    const projections = alignment && W0 && projectMatrices(tape, alignment, W0);
    if (graph === 'none') return { projections };
    const normalised = symmetricNormalise(tape, this.#sharedGraph(tape, graphs), { skip });
    return { projections, normalised, pooling: this.#pooling(tape, normalised) };
  }

  /** (P_i h_i)ᵀW0, or what stands for it, of a batch [sample, n, h]: all passes have it in common. */
  projectPrepared(tape: Tape, embeddings: Tensor, present: Tensor | undefined, { projections }: PreparedPass): Tensor {
    return this.#project(tape, embeddings, projections, present, this.parameters.W0);
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
    if (this.#binEdges) this.#engine.free(this.#binEdges);
  }

  #alignment(tape: Tape): Tensor | undefined {
    const { alignment, sinkhorn: parameterisation, sweeps } = this.config;
    if (alignment !== 'hard') return this.parameters.P;
    return sinkhorn(tape, this.parameters.P, { parameterisation, sweeps });
  }

  /**
   * What owners bring into the hidden layer [sample, n, h]: (P_i h_i)ᵀW + B_i, projections WᵀP_i [n, h, dᵢ]; without
   * alignment h_iᵀW; with codes code(h_i)·T_i + B_i, or (code(h_i)·T_i + B_i)·W0. Whoever is absent brings zeros.
   */
  #project(
    tape: Tape,
    embeddings: Tensor,
    projections: Tensor | undefined,
    present: Tensor | undefined,
    weight: Tensor | undefined,
  ): Tensor {
    const { T, B, W0 } = this.parameters;
    if (this.#binEdges) {
      const coded = encodedProjection(tape, embeddings, this.#binEdges, T, { bias: B, present });
      return W0 ? affine(tape, coded, W0) : coded;
    }
    if (!projections) return affine(tape, embeddings, weight as Tensor);
    const bias = weight === W0 ? B : undefined;
    const projected = perOwnerAffine(tape, embeddings, projections, bias);
    return bias && present ? maskOwners(tape, projected, present.data) : projected;
  }

  /** ÂXW [sample, n, h], and the pooling weights Âᵀm: [n] or [sample, n], none without a graph */
  #convolve(
    tape: Tape,
    project: (weight?: Tensor) => Tensor,
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

  #readOut(tape: Tape, convolved: Tensor, pooling: Tensor | undefined, present: Tensor | undefined): Tensor {
    const { b0, W1, b1 } = this.parameters;
    const activate = this.config.activation === 'quadratic' ? quadratic : relu;
    const owners = { hidden: activate(tape, convolved, b0), pooling, present };
    if (this.config.readout === 'layers') return layeredReadOut(tape, owners, this.parameters);
    return linearReadOut(tape, owners, W1, b1);
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

  #givenBinEdges(): Tensor {
    const { owners, width, binEdges } = this.shape;
    if (!binEdges) throw new Error('quantile codes: the shape must carry the edges of the bins');
    return this.#engine.buffer([owners, width, this.config.bins + 1], binEdges);
  }
}

/** Where the alignments of a config's seed start: [owner, d, dᵢ] */
export function firstAlignments({ seed }: FusionConfig, shape: FusionShape): Float32Array {
  const { owners, width, aligned = width } = shape;
  return alignmentUniform(new RandomStream(seed, STREAMS.alignment), owners, aligned, width);
}

/** Where the tables of a config's seed start: [owner, dᵢ, bins, h], or into the common space [owner, dᵢ, bins, d] */
export function firstTables(config: FusionConfig, shape: FusionShape): Float32Array {
  const random = new RandomStream(config.seed, STREAMS.tables);
  return fanInUniform(random, tableDims(config, shape), shape.width * config.bins);
}

/** Where the owners' biases of a config's seed start: [owner, h], with tables into the common space [owner, d] */
export function firstOwnerBiases(config: FusionConfig, shape: FusionShape): Float32Array {
  return fanInUniform(new RandomStream(config.seed, STREAMS.ownerBiases), biasDims(config, shape), shape.width);
}

function tableDims(config: FusionConfig, shape: FusionShape): number[] {
  return [shape.owners, shape.width, config.bins, tableWidth(config, shape)];
}

function biasDims(config: FusionConfig, shape: FusionShape): number[] {
  return [shape.owners, config.encoding === 'none' ? config.hidden : tableWidth(config, shape)];
}

/** How many numbers a table gives. */
const tableWidth = ({ tables, hidden }: FusionConfig, { width, aligned = width }: FusionShape): number =>
  tables === 'common' ? aligned : hidden;

const isLearned = (graph: FusionConfig['graph']): boolean => graph === 'icdf' || graph === 'gumbel';
