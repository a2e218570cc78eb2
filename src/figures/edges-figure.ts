// The graph between owners as a heat map, owners by owners.
import type { TopLevelSpec } from 'vega-lite';
import type { OwnerGraph } from '../fuse/model/owner-graph.ts';
import { blockFor, coarsenMatrix } from './coarsen-matrix.ts';
import { SEQUENTIAL } from './svg-figure.ts';

/** The map's side has about this many pixels. */
const SIDE = 600;
/** The map shows at most this many owners one by one; beyond that, it shows them in blocks. */
const MOST_OWNERS = 250;
/** At most this many owners have a label each. */
const MOST_LABELS = 60;

const TITLES: Record<OwnerGraph['kind'], string> = {
  learned: 'Learned edge probabilities between',
  given: 'The given graph of',
  neighbours: 'Similarity of nearest neighbours among',
};

/** `ids` are those of the owners, in the graph's order. */
export function edgesFigure({ kind, owners, probabilities }: OwnerGraph, ids: readonly string[]): TopLevelSpec {
  const mean = (entries: readonly number[]) => entries.reduce((sum, value) => sum + value, 0) / entries.length;
  const block = blockFor(owners, MOST_OWNERS);
  const { columns, values } = coarsenMatrix({ rows: owners, columns: owners, values: probabilities }, block, mean);
  const names = Array.from({ length: columns }, (_, i) => ids[i * block]);
  // Nobody is its own neighbour: the diagonal is left out, unless a cell there holds other pairs too.
  const cells = Array.from(values, (value, at) => ({
    row: Math.floor(at / columns),
    column: at % columns,
    value,
  })).filter(({ row, column, value }) => (block > 1 || row !== column) && (kind === 'learned' || value > 0));
  const data = cells.map(({ row, column, value }) => ({ from: names[row], to: names[column], value }));
  const step = Math.min(24, Math.max(2, Math.floor(SIDE / columns)));
  const every = columns > MOST_LABELS ? Math.ceil(columns / 20) : 1;
  const labels = names.filter((_, i) => i % every === 0);
  const axis = {
    title: 'owner',
    values: labels,
    labelFontSize: every > 1 || step >= 12 ? 11 : 8,
    ticks: every > 1,
    domain: false,
    labelOverlap: false,
  } as const;
  const isLearned = kind === 'learned';
  const isGiven = kind === 'given';
  return {
    title: {
      text: `${TITLES[kind]} ${owners} owners`,
      subtitle: subtitle(!isGiven, block),
      subtitleColor: '#4b5563',
    },
    width: { step },
    height: { step },
    data: { values: data },
    view: { fill: '#f8fafc' },
    mark: { type: 'rect', aria: false },
    encoding: {
      x: { field: 'to', type: 'ordinal', scale: { domain: names }, axis: { ...axis, labelAngle: -90 } },
      y: { field: 'from', type: 'ordinal', scale: { domain: names }, axis },
      color:
        !isGiven || block > 1
          ? {
              field: 'value',
              type: 'quantitative',
              scale: { range: SEQUENTIAL, domain: [0, 1], interpolate: 'lab' },
              legend: {
                title: isGiven ? 'share of pairs' : isLearned ? 'probability' : 'similarity',
                gradientLength: 200,
              },
            }
          : { value: '#1e3a8a' },
    },
  };
}

function subtitle(hasShades: boolean, block: number): string {
  if (block > 1) return `Each cell is the mean over ${block} × ${block} owners, in the order of the model`;
  return hasShades ? 'Owners in the order of the model; the diagonal is empty' : 'A dark cell is an edge';
}
