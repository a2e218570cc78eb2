// [coordinator] One owner retrained its model: only its alignment P_i is learned anew, everything else stays frozen.
import type { Engine } from '../../core/engine/engine.ts';
import type { Tensor } from '../../core/engine/tensor.ts';
import { F3Error } from '../../errors.ts';
import { type FuseOptions, factsOf, scoresOf, shapeOf, trainingData } from '../fuse-owners.ts';
import { type FusionConfig, resolveFusionConfig } from '../fusion-config.ts';
import type { FusionInput } from '../join/fusion-input.ts';
import type { FusedFacts, FusedModel, LearnedModel } from '../model/fused-model.ts';
import { firstAlignments, GlobalModel } from '../model/global-model.ts';
import { checkRefitBundles, checkRefitSplit } from './check-refit.ts';
import { trainFusion } from './train-fusion.ts';

/** What a refit may change: how to train, not what the model is. */
export const REFIT_FIELDS = ['learningRate', 'batch', 'epochs', 'patience', 'seed'] as const;
export type RefitChanges = { [Field in (typeof REFIT_FIELDS)[number]]?: FusionConfig[Field] | undefined };

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
  if (!network?.parameters.P || slot < 0) {
    const found =
      slot < 0 ? `no owner ${owner}` : `method ${fused.facts.config.method}, alignment ${fused.facts.config.alignment}`;
    throw new F3Error('F3_MODEL_REFIT', `refit ${owner}: the model must have an alignment of that owner, got ${found}`);
  }
  const config = resolveFusionConfig({ ...fused.facts.config, ...changes, preset: 'paper' });
  const { split = input.splitIdentity } = fused.facts;
  if (input.splitIdentity) checkRefitSplit(owner, fused.facts.split, input.splitIdentity);
  checkRefitBundles(owner, fused.facts.owners, input.joined.owners);
  const aligned = network.parameters.W0.shape[0];
  if (config.alignment === 'hard' && aligned !== input.joined.width) {
    const rule = `a permutation needs embeddings of width ${aligned}`;
    throw new F3Error('F3_FUSE_WIDTH', `refit ${owner}: ${rule}, got ${input.joined.width}`);
  }
  const { adjacency, neighbours } = network.shape;
  const shape = { ...shapeOf(input), aligned, ...(adjacency && { adjacency }), ...(neighbours && { neighbours }) };
  const model = new GlobalModel(engine, config, shape, { learned: ['P'] });
  copyFrozen(network, model);
  freshAlignment(model, slot);
  const { P } = model.parameters;
  const training = await trainFusion(engine, model, trainingData(input), {
    learned: [P],
    beforeUpdate: () => clearGradientsExcept(P, slot),
    signal,
    ...(onEpoch && { onEpoch: (report) => onEpoch({ ...report, learningRate: config.learningRate }) }),
  });
  const seconds = (performance.now() - start) / 1000;
  const facts: FusedFacts = { ...factsOf(input, config), ...training, seconds, refitted: owner };
  if (split) facts.split = split;
  const refitted: LearnedModel = { kind: 'learned', facts, network: model };
  facts.validation = scoresOf(engine, refitted, input, 'validation');
  facts.test = scoresOf(engine, refitted, input, 'test');
  return refitted;
}

/** Everything as it was. P [owner, d, dᵢ] may have more or fewer columns now; those that meet no zeros are kept. */
function copyFrozen(from: GlobalModel, to: GlobalModel): void {
  for (const [name, tensor] of Object.entries(to.parameters)) {
    if (name !== 'P') tensor.data.set(from.parameters[name].data);
  }
  const [source, target] = [from.parameters.P, to.parameters.P];
  const [before, now] = [source.shape[2], target.shape[2]];
  const kept = Math.min(before, now);
  target.data.fill(0);
  for (let row = 0; row < source.size / before; row++) {
    target.data.set(source.data.subarray(row * before, row * before + kept), row * now);
  }
}

function freshAlignment({ parameters: { P }, config, shape }: GlobalModel, slot: number): void {
  const size = P.size / shape.owners;
  P.data.set(firstAlignments(config.seed, shape).subarray(slot * size, (slot + 1) * size), slot * size);
}

/** With zero gradients from the first step on, Adam leaves a number exactly as it is. */
function clearGradientsExcept(P: Tensor, slot: number): void {
  const size = P.size / P.shape[0];
  P.gradient.fill(0, 0, slot * size);
  P.gradient.fill(0, (slot + 1) * size);
}
