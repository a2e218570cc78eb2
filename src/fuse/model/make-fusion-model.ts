// [coordinator] The model that a config names, with fresh weights.
import type { Engine } from '../../core/engine/engine.ts';
import { F3Error } from '../../errors.ts';
import type { FusionConfig } from '../fusion-config.ts';
import { Concatenation } from './concatenation.ts';
import type { FusionShape } from './fusion-model.ts';
import { GlobalModel } from './global-model.ts';
import { SetTransformer } from './set-transformer.ts';

/** Every model that is learned from embeddings, told apart by `kind`. */
export type FusionNetwork = GlobalModel | SetTransformer | Concatenation;

/** The model that a config names, with fresh weights. */
export function makeFusionModel(engine: Engine, config: FusionConfig, shape: FusionShape): FusionNetwork {
  switch (config.method) {
    case 'consensus':
      return new GlobalModel(engine, config, shape);
    case 'transformer':
      return new SetTransformer(engine, config, shape);
    case 'concatenation':
      return new Concatenation(engine, config, shape);
    default:
      throw new F3Error('F3_ARGUMENT', `method: must learn from embeddings, got ${config.method}`);
  }
}
