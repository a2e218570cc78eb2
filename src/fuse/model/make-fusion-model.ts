// [coordinator] The model that a config names, with fresh weights.
import type { Engine } from '../../core/engine/engine.ts';
import type { FusionConfig, FusionMethod, VoteMethod } from '../fusion-config.ts';
import { Concatenation } from './concatenation.ts';
import type { FusionModel, FusionShape } from './fusion-model.ts';
import { GlobalModel } from './global-model.ts';
import { SetTransformer } from './set-transformer.ts';

const MODELS: Record<
  Exclude<FusionMethod, VoteMethod>,
  new (
    engine: Engine,
    config: FusionConfig,
    shape: FusionShape,
  ) => FusionModel
> = { consensus: GlobalModel, transformer: SetTransformer, concatenation: Concatenation };

export function makeFusionModel(engine: Engine, config: FusionConfig, shape: FusionShape): FusionModel {
  const Model = MODELS[config.method as keyof typeof MODELS];
  if (!Model) throw new Error(`method ${config.method} learns nothing from embeddings`);
  return new Model(engine, config, shape);
}
