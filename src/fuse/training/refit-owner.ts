// [coordinator] One owner retrained its model: only its alignment P_i, or its tables T_i, is learned anew; the rest stays frozen.
import type { Engine } from '../../core/engine/engine.ts';
import type { Tensor } from '../../core/engine/tensor.ts';
import { F3Error } from '../../errors.ts';
import { type FuseOptions, factsOf, judgeModel, shapeOf, trainingData } from '../fuse-owners.ts';
import { type FusionConfig, resolveFusionConfig } from '../fusion-config.ts';
import type { FusionInput } from '../join/fusion-input.ts';
import type { FusedFacts, FusedModel, LearnedModel } from '../model/fused-model.ts';
import type { FusionShape } from '../model/fusion-model.ts';
import { firstAlignments, firstOwnerBiases, firstTables, GlobalModel } from '../model/global-model.ts';
import { checkRefitBundles, checkRefitSplit } from './check-refit.ts';
import { trainFusion } from './train-fusion.ts';

/** What a refit may change: how to train, not what the model is. */
export const REFIT_FIELDS = ['learningRate', 'batch', 'epochs', 'patience', 'seed'] as const;
/** What a refit may do otherwise than the model's own training did. */
export type RefitChanges = { [Field in (typeof REFIT_FIELDS)[number]]?: FusionConfig[Field] | undefined };

/** How to learn one owner's alignment anew. */
export interface RefitOptions extends Pick<FuseOptions, 'signal' | 'onEpoch'> {
  config?: RefitChanges | undefined;
}

/**
 * `input` is joined in the order of the model's owners and split as the model's was. The owner's new embeddings may be of
 * another width.
 */
export async function refitOwner(
  engine: Engine,
  fused: FusedModel,
  owner: string,
  input: FusionInput,
  { config: changes, signal, onEpoch }: RefitOptions = {},
): Promise<LearnedModel> {
  const start = performance.now();
  const slot = input.joined.owners.findIndex((entry) => entry.owner === owner);
  const network = fused.kind === 'learned' && fused.network.kind === 'consensus' ? fused.network : undefined;
  if (!network || !ownNames(network).length || slot < 0) {
    const found = slot < 0 ? `no owner ${owner}` : withoutAlignment(fused);
    throw new F3Error('F3_MODEL_REFIT', `refit ${owner}: the model must have an alignment of that owner, got ${found}`);
  }
  const config = resolveFusionConfig({ ...fused.facts.config, ...changes, preset: 'paper' });
  const { split = input.splitIdentity } = fused.facts;
  if (input.splitIdentity) checkRefitSplit(owner, fused.facts.split, input.splitIdentity);
  checkRefitBundles(owner, fused.facts.owners, input.joined.owners);
  const model = new GlobalModel(engine, config, refitShape(network, input, config, owner), { learned: OWN });
  copyFrozen(network, model);
  const own = ownNames(model).map((name) => model.parameters[name]);
  for (const name of ownNames(model)) refresh(model, name, slot);
  const before = own.map((tensor) => tensor.data.slice());
  const training = await trainFusion(engine, model, trainingData(input), {
    learned: own,
    beforeUpdate: () => clearGradientsExcept(own, slot),
    ...(config.weightDecay > 0 && { afterUpdate: () => putBackExcept(own, slot, before) }),
    signal,
    ...(onEpoch && { onEpoch: (report) => onEpoch({ ...report, learningRate: config.learningRate }) }),
  });
  const seconds = (performance.now() - start) / 1000;
  const facts: FusedFacts = { ...factsOf(input, config), ...training, seconds, refitted: owner };
  if (split) facts.split = split;
  if (fused.facts.calibration) facts.calibration = fused.facts.calibration; // it is in weights that stay
  const refitted: LearnedModel = { kind: 'learned', facts, network: model };
  judgeModel(engine, refitted, input);
  return refitted;
}

/** What belongs to each owner alone, the owner's number first: matrices, tables, biases. */
const OWN = ['P', 'T', 'B'];
const ownNames = ({ parameters }: GlobalModel) => OWN.filter((name) => parameters[name] !== undefined);

function withoutAlignment({ kind, facts: { config } }: FusedModel): string {
  const { method, alignment } = config;
  if (kind === 'ensemble') return 'an ensemble, whose members must be refitted one by one';
  if (method === 'boosting') return 'method boosting, whose trees look at all owners together: train it anew';
  return method === 'consensus' ? `alignment ${alignment}` : `method ${method}`;
}

/** As the model's shape, for embeddings that may be of another width; the owner's bins are cut anew. */
function refitShape(network: GlobalModel, input: FusionInput, config: FusionConfig, owner: string): FusionShape {
  const { adjacency, neighbours, binEdges, width } = network.shape;
  const shape = shapeOf(input, config);
  const slot = input.joined.owners.findIndex((entry) => entry.owner === owner);
  if (adjacency) shape.adjacency = adjacency;
  if (neighbours) shape.neighbours = neighbours;
  if (network.parameters.W0) shape.aligned = network.parameters.W0.shape[0];
  if (config.alignment === 'hard' && shape.aligned !== input.joined.width) {
    const rule = `a permutation needs embeddings of width ${shape.aligned}`;
    throw new F3Error('F3_FUSE_WIDTH', `refit ${owner}: ${rule}, got ${input.joined.width}`);
  }
  if (!binEdges || !shape.binEdges) return shape;
  const edges = config.bins + 1;
  const kept = resized(Float32Array.from(binEdges), shape.owners, width * edges, shape.width * edges);
  const [from, to] = [slot * shape.width * edges, (slot + 1) * shape.width * edges];
  kept.set(Float32Array.from(shape.binEdges).subarray(from, to), from);
  return { ...shape, binEdges: kept };
}

/**
 * Everything as it was. Embeddings may have more numbers now, or fewer: of P [owner, d, dᵢ] columns, of T [owner, dᵢ, bins, h]
 * tables are kept as far as there are any; others would meet zeros only.
 */
function copyFrozen(from: GlobalModel, to: GlobalModel): void {
  for (const [name, target] of Object.entries(to.parameters)) {
    const source = from.parameters[name];
    const rows = name === 'P' ? source.shape[0] * source.shape[1] : source.shape[0];
    target.data.set(resized(source.data, rows, source.size / rows, target.size / rows));
  }
}

/** `rows` of `before` numbers each as rows of `now` numbers, cut or filled up with zeros. */
function resized(values: Float32Array, rows: number, before: number, now: number): Float32Array {
  const kept = Math.min(before, now);
  const result = new Float32Array(rows * now);
  for (let row = 0; row < rows; row++) result.set(values.subarray(row * before, row * before + kept), row * now);
  return result;
}

/** The owner starts where a new model's owner would. */
function refresh({ parameters, config, shape }: GlobalModel, name: string, slot: number): void {
  const first = { P: firstAlignments, T: firstTables, B: firstOwnerBiases }[name] as typeof firstTables;
  const size = parameters[name].size / shape.owners;
  parameters[name].data.set(first(config, shape).subarray(slot * size, (slot + 1) * size), slot * size);
}

/** With zero gradients from the first step on, Adam leaves a number exactly as it is, unless it decays. */
function clearGradientsExcept(tensors: readonly Tensor[], slot: number): void {
  for (const { gradient, size, shape } of tensors) {
    const each = size / shape[0];
    gradient.fill(0, 0, slot * each);
    gradient.fill(0, (slot + 1) * each);
  }
}

/** All but the owner's, as they were. */
function putBackExcept(tensors: readonly Tensor[], slot: number, before: readonly Float32Array[]): void {
  tensors.forEach(({ data, size, shape }, i) => {
    const each = size / shape[0];
    data.set(before[i].subarray(0, slot * each));
    data.set(before[i].subarray((slot + 1) * each), (slot + 1) * each);
  });
}
