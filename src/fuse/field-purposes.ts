// [coordinator] What fields of a fusion are for: one that would do nothing is refused, because whoever set it expects something.
import { F3Error } from '../errors.ts';
import {
  DEFAULT_PRESET,
  type FusionChoice,
  type FusionConfig,
  type FusionField,
  fusionPresets,
  LEARNED_METHODS,
  NETWORK_METHODS,
  resolveFusionConfig,
} from './fusion-config.ts';

/** A field does something only where another field has one of these values. */
export interface FieldPurpose {
  field: 'method' | 'encoding' | 'alignment' | 'graph' | 'optimizer';
  values: readonly FusionConfig[FieldPurpose['field']][];
}

const CONSENSUS: FieldPurpose = { field: 'method', values: ['consensus'] };
const LEARNING: FieldPurpose = { field: 'method', values: LEARNED_METHODS };
const NETWORK: FieldPurpose = { field: 'method', values: NETWORK_METHODS };
const ALIGNED: FieldPurpose = { field: 'alignment', values: ['soft', 'hard'] };
const SOFT: FieldPurpose = { field: 'alignment', values: ['soft'] };
const QUANTILES: FieldPurpose = { field: 'encoding', values: ['quantiles', 'auto'] };
const HARD: FieldPurpose = { field: 'alignment', values: ['hard'] };
const ADAM: FieldPurpose = { field: 'optimizer', values: ['adam'] };
const LEARNED: FieldPurpose = { field: 'graph', values: ['icdf', 'gumbel'] };
const graph = (...values: FusionConfig['graph'][]): FieldPurpose => ({ field: 'graph', values });

/** All other fields are of use to any fusion, or to any that learns. Alignments and graphs belong to the consensus alone. */
const PURPOSES: Partial<Record<FusionField, readonly FieldPurpose[]>> = {
  encoding: [CONSENSUS, SOFT, graph('none', 'given', 'icdf', 'gumbel')],
  bins: [CONSENSUS, QUANTILES],
  tables: [CONSENSUS, QUANTILES],
  alignment: [CONSENSUS],
  ownerBias: [CONSENSUS, ALIGNED],
  sinkhorn: [CONSENSUS, HARD],
  sweeps: [CONSENSUS, HARD],
  entropyWeight: [CONSENSUS, HARD],
  graph: [CONSENSUS],
  neighbours: [CONSENSUS, graph('knn')],
  neighbourGraph: [CONSENSUS, graph('knn')],
  reference: [CONSENSUS, graph('icdf')],
  temperature: [CONSENSUS, LEARNED],
  projectEdges: [CONSENSUS, LEARNED],
  graphsPer: [CONSENSUS, LEARNED],
  predictionGraphs: [CONSENSUS, LEARNED],
  hidden: [NETWORK],
  activation: [CONSENSUS],
  readout: [CONSENSUS],
  ownerDropout: [LEARNING],
  optimizer: [NETWORK],
  schedule: [NETWORK],
  weightDecay: [NETWORK, ADAM],
  averageWeights: [NETWORK],
  batch: [NETWORK],
  calibration: [LEARNING],
  decision: [LEARNING],
  skip: [CONSENSUS, graph('given', 'knn', 'icdf', 'gumbel')],
};

/** What a given graph is for. */
export const GIVEN_GRAPH_PURPOSES: readonly FieldPurpose[] = [CONSENSUS, graph('given')];

/** All of them have to be served for `field` to do something. */
export const fieldPurposes = (field: FusionField): readonly FieldPurpose[] => PURPOSES[field] ?? [];

/** The first purpose of `field` that `config` does not serve; undefined when the field does something. */
export function missedPurpose(field: FusionField, config: FusionConfig): FieldPurpose | undefined {
  return firstMissed(fieldPurposes(field), config);
}

export function firstMissed(purposes: readonly FieldPurpose[], config: FusionConfig): FieldPurpose | undefined {
  return purposes.find(({ field, values }) => !values.includes(config[field]));
}

/** The config of a choice, after a check that every change to the preset does something. */
export function resolveUsefulConfig(choice: FusionChoice = {}): FusionConfig {
  const config = resolveFusionConfig(choice);
  const start = fusionPresets[choice.preset ?? DEFAULT_PRESET];
  for (const field of Object.keys(config) as FusionField[]) {
    if (config[field] === start[field]) continue;
    const missed = missedPurpose(field, config);
    if (missed)
      throw new F3Error('F3_ARGUMENT', `${field}: ${purposeRule(missed)}, got ${missed.field} ${config[missed.field]}`);
  }
  return config;
}

const purposeRule = ({ field, values }: FieldPurpose): string => `is for ${field} ${values.join(' or ')} only`;
