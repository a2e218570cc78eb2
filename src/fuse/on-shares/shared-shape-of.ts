// [coordinator] What of a fusion can be computed on shares: its config, checked, as the shape that the entities compute.
import { F3Error } from '../../errors.ts';
import type { SharedShape } from '../../shares/shared-shape.ts';
import type { FusionConfig, FusionField } from '../fusion-config.ts';
import type { FusionShape } from '../model/fusion-model.ts';

/** The values of a field that entities can compute; of every other field any value will do. */
const COMPUTABLE: { readonly [Field in FusionField]?: readonly FusionConfig[Field][] } = {
  method: ['consensus'],
  encoding: ['none', 'quantiles'],
  alignment: ['soft', 'none'],
  ownerBias: [false],
  graph: ['none', 'given', 'icdf', 'gumbel'],
  activation: ['quadratic'],
  readout: ['linear'],
  optimizer: ['sgd'],
  weightDecay: [0],
  averageWeights: [0],
  calibration: ['none'],
};

/** Throws F3_SHARES_CONFIG at the first field that asks for something else. */
export function checkSharesConfig(config: FusionConfig): void {
  for (const [field, values] of Object.entries(COMPUTABLE) as [FusionField, readonly unknown[]][]) {
    if (values.includes(config[field])) continue;
    throw new F3Error('F3_SHARES_CONFIG', `${field}: must be ${values.join(' or ')} on shares, got ${config[field]}`);
  }
  if (config.encoding === 'quantiles' && config.tables !== 'hidden') {
    throw new F3Error('F3_SHARES_CONFIG', `tables: must be hidden on shares, got ${config.tables}`);
  }
  if (config.encoding === 'quantiles' && config.alignment !== 'soft') {
    throw new F3Error('F3_SHARES_CONFIG', `alignment: must be soft for codes on shares, got ${config.alignment}`);
  }
  if (isLearned(config) && config.graphsPer !== 'batch') {
    throw new F3Error('F3_SHARES_CONFIG', `graphsPer: must be batch on shares, got ${config.graphsPer}`);
  }
}

export const isLearned = ({ graph }: FusionConfig): boolean => graph === 'icdf' || graph === 'gumbel';

/** With quantile codes the owners share the codes, so that an embedding is as wide as all of its bins together. */
export function sharedShapeOf(config: FusionConfig, { owners, width, classes }: FusionShape): SharedShape {
  checkSharesConfig(config);
  const isCoded = config.encoding === 'quantiles';
  return {
    owners,
    width: isCoded ? width * config.bins : width,
    hidden: config.hidden,
    classes,
    projection: isCoded ? 'own' : config.alignment === 'soft' ? 'aligned' : 'common',
    hasGraph: config.graph !== 'none',
    learnsGraph: isLearned(config),
    skip: config.skip,
  };
}
