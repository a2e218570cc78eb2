// The alignments P of some owners as small heat maps on one scale of colours.
import type { TopLevelSpec } from 'vega-lite';
import type { JoinedOwner } from '../fuse/join/bundle-join.ts';
import { alignmentOf, type OwnerAlignment, permutationNearness } from '../fuse/model/owner-alignment.ts';
import { blockFor, coarsenMatrix } from './coarsen-matrix.ts';
import { SEQUENTIAL } from './svg-figure.ts';

/** A map's side has about this many pixels. */
const SIDE = 210;
/** A map's side shows at most this many cells; beyond that, cells are drawn in blocks. */
const MOST_CELLS = 90;
const MAPS_PER_LINE = 3;

/** `drawn` holds the numbers of the owners to draw. */
export function alignmentFigure(
  alignment: OwnerAlignment,
  owners: readonly JoinedOwner[],
  drawn: readonly number[],
): TopLevelSpec {
  const isHard = alignment.kind === 'hard';
  const widest = Math.max(...drawn.map((number) => owners[number].width));
  const block = blockFor(Math.max(alignment.rows, widest), MOST_CELLS); // the maps share one size, since they share their axes
  const maps = drawn.map((number) => {
    const { owner, width } = owners[number];
    const matrix = alignmentOf(alignment, number, width);
    const near = isHard ? `, mean row maximum ${permutationNearness(matrix).meanRowMaximum.toFixed(2)}` : '';
    return { name: `${owner}${near}`, ...coarsenMatrix(matrix, block, strongest) };
  });
  const cells = maps.flatMap(({ name, columns, values }) =>
    Array.from(values, (value, at) => ({
      owner: name,
      row: Math.floor(at / columns) * block,
      column: (at % columns) * block,
      value,
    })),
  );
  const bound = cells.reduce((most, { value }) => Math.max(most, Math.abs(value)), 0) || 1;
  const [rows, columns] = [alignment.rows, widest].map((entries) => Math.ceil(entries / block));
  const step = Math.min(26, Math.max(2, Math.floor(SIDE / Math.max(rows, columns))));
  const axis = (title: string, count: number) => {
    const every = Math.ceil(count / 8);
    const values = Array.from({ length: Math.ceil(count / every) }, (_, i) => i * every * block);
    return {
      title,
      values,
      ticks: false,
      domain: false,
      labelAngle: 0,
      labelFontSize: 10,
      labelPadding: 4,
      titlePadding: 8,
    };
  };
  const blocks = block > 1 ? `; a cell is the strongest of ${block} × ${block} entries` : '';
  return {
    title: {
      text: isHard
        ? 'Hard alignments P: how owners’ numbers are put in a common order'
        : 'Soft alignments P: how owners’ numbers make up the common ones',
      subtitle: `${drawn.length} of ${owners.length} owners${blocks}`,
      subtitleColor: '#4b5563',
      offset: 12,
    },
    data: { values: cells },
    spacing: 24,
    columns: Math.min(MAPS_PER_LINE, drawn.length),
    facet: {
      field: 'owner',
      type: 'nominal',
      sort: maps.map(({ name }) => name),
      header: { title: null, labelFontSize: 12, labelFontWeight: 'bold' },
    },
    spec: {
      width: { step },
      height: { step },
      mark: { type: 'rect', aria: false },
      encoding: {
        x: { field: 'column', type: 'ordinal', axis: axis('number in the owner’s embedding', columns) },
        y: { field: 'row', type: 'ordinal', axis: axis('common number', rows) },
        color: {
          field: 'value',
          type: 'quantitative',
          scale: isHard
            ? { range: SEQUENTIAL, domain: [0, 1], interpolate: 'lab' }
            : { scheme: 'redblue', domain: [-bound, bound], domainMid: 0 },
          legend: { title: 'entry of P', gradientLength: 160 },
        },
      },
    },
    resolve: { axis: { x: 'independent', y: 'independent' } },
  };
}

/** The entry that is farthest from zero: a mean would hide a permutation. */
const strongest = (entries: readonly number[]): number =>
  entries.reduce((most, entry) => (Math.abs(entry) > Math.abs(most) ? entry : most), 0);
