// Matrices side by side as small heat maps, as a Vega-Lite specification.
import type { TopLevelSpec } from 'vega-lite';
import { PAPER, SERIES } from './report-figure.ts';

export interface LabelledMatrix {
  label: string;
  /** [row, column] */
  values: readonly ArrayLike<number>[];
}

/** Draws a larger value in a stronger colour; values below zero have a colour of their own. */
export function matrixTiles(
  matrices: readonly LabelledMatrix[],
  { columns = 4, title = 'value' }: { columns?: number; title?: string } = {},
): TopLevelSpec {
  const cells = matrices
    .flatMap(({ label, values }) =>
      values.flatMap((row, i) => Array.from(row, (value, j) => ({ label, row: i + 1, column: j + 1, value }))),
    )
    .filter(({ value }) => Number.isFinite(value))
    .map((cell) => ({ ...cell, size: Math.abs(cell.value), sign: cell.value < 0 ? 'below zero' : 'above zero' }));
  const largest = cells.reduce((most, { size }) => Math.max(most, size), 0) || 1;
  const count = cells.reduce((most, { row, column }) => Math.max(most, row, column), 1);
  const signed = cells.some(({ sign }) => sign === 'below zero');
  const signs = { domain: ['above zero', 'below zero'], range: [SERIES[0], SERIES[1]] };
  const axis = { labels: false, ticks: false, domain: false } as const;
  const side = Math.max(4, Math.round(130 / count)) * count;
  return {
    data: { values: cells },
    facet: { field: 'label', type: 'nominal', sort: matrices.map(({ label }) => label), title: null },
    columns: Math.min(columns, matrices.length),
    spacing: 16,
    spec: {
      width: side,
      height: side,
      view: { stroke: PAPER, strokeWidth: 1 },
      mark: { type: 'rect' },
      encoding: {
        x: { field: 'column', type: 'ordinal', title: null, axis, scale: { padding: 0 } },
        y: { field: 'row', type: 'ordinal', title: null, axis, scale: { padding: 0 } },
        color: {
          field: 'sign',
          type: 'nominal',
          scale: signs,
          legend: signed ? { orient: 'bottom', title: null } : null,
        },
        opacity: {
          field: 'size',
          type: 'quantitative',
          scale: { domain: [0, largest], range: [0, 1] },
          legend: { orient: 'bottom', title, symbolType: 'square', symbolFillColor: SERIES[0], symbolStrokeWidth: 0 },
        },
      },
    },
  };
}
