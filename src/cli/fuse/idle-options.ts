// Options of a fusion that would do nothing in it: refused, because whoever gave them expects something of them.
import { F3Error } from '../../errors.ts';
import type { FusionConfig } from '../../fuse/fusion-config.ts';
import { configOf, type FusionOptions, flagOf } from './fusion-options.ts';

/** What an option is for: these values of that field of the config. */
interface Purpose {
  field: 'method' | 'alignment' | 'graph';
  values: readonly FusionConfig[Purpose['field']][];
}

const CONSENSUS: Purpose = { field: 'method', values: ['consensus'] };
const HARD: Purpose = { field: 'alignment', values: ['hard'] };
const LEARNED: Purpose = { field: 'graph', values: ['icdf', 'gumbel'] };
const graph = (...values: FusionConfig['graph'][]): Purpose => ({ field: 'graph', values });

/** All but these are of use to any fusion, or to any that learns. Alignments and graphs are the consensus's alone. */
const PURPOSES = {
  alignment: [CONSENSUS],
  sinkhorn: [CONSENSUS, HARD],
  sweeps: [CONSENSUS, HARD],
  entropyWeight: [CONSENSUS, HARD],
  graph: [CONSENSUS],
  adjacency: [CONSENSUS, graph('given')],
  k: [CONSENSUS, graph('knn')],
  reference: [CONSENSUS, graph('icdf')],
  temperature: [CONSENSUS, LEARNED],
  projectEdges: [CONSENSUS, LEARNED],
  graphsPer: [CONSENSUS, LEARNED],
  graphSamples: [CONSENSUS, LEARNED],
  skip: [CONSENSUS, graph('given', 'knn', 'icdf', 'gumbel')],
} satisfies Partial<Record<keyof FusionOptions, Purpose[]>>;

/** Judged by what preset, row and options make together. */
export function refuseIdleOptions(options: FusionOptions): void {
  const config = configOf(options);
  for (const [name, purposes] of Object.entries(PURPOSES) as [keyof typeof PURPOSES, Purpose[]][]) {
    if (options[name] === undefined) continue;
    const missed = purposes.find(({ field, values }) => !values.includes(config[field]));
    if (!missed) continue;
    const { field, values } = missed;
    const rule = `is for --${field} ${values.join(' or ')} only`;
    throw new F3Error('F3_OPTION', `${flagOf(options, name)}: ${rule}, got --${field} ${config[field]}`);
  }
  if (config.graph === 'given' && config.method === 'consensus' && options.adjacency === undefined) {
    throw new F3Error('F3_OPTION', '--graph given: the graph must be named with --adjacency, got none');
  }
}
