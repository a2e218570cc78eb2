// Vega-Lite specifications that several experiments draw: score bars, training curves, histograms, matrices.

import type { TopLevelSpec } from 'vega-lite';
import { LINE, OURS, PAPER, SERIES } from './report-figure.ts';
import type { ResultTable } from './result.ts';

const LEGEND = { orient: 'top', title: null } as const;

export interface ScoreBar {
  label: string;
  /** Panels are one per score. */
  score: string;
  mean: number;
  deviation?: number;
  paper?: number;
  paperDeviation?: number;
}

/** Bars of ours and the paper's side by side, with their deviations. */
export function scoreBars(rows: readonly ScoreBar[], domain: readonly [number, number] = [0, 1]): TopLevelSpec {
  const values = rows
    .flatMap(({ label, score, mean, deviation = 0, paper = Number.NaN, paperDeviation = 0 }) => [
      { label, score, who: 'ours', value: mean, spread: deviation },
      { label, score, who: 'paper', value: paper, spread: paperDeviation },
    ])
    .filter(({ value }) => Number.isFinite(value))
    .map((row) => ({ ...row, low: row.value - row.spread, high: row.value + row.spread }));
  const who = ['ours', 'paper'].filter((name) => values.some((row) => row.who === name));
  const labels = [...new Set(rows.map(({ label }) => label))];
  const scores = [...new Set(rows.map(({ score }) => score))];
  const y = { field: 'label', type: 'nominal', sort: labels, title: null, scale: { paddingInner: 0.35 } } as const;
  const yOffset = { field: 'who', sort: who, scale: { paddingInner: 0.08 } } as const;
  const legend = who.length > 1 ? LEGEND : null;
  const axis = { grid: true, tickCount: 5, domain: false, ticks: false } as const;
  return {
    data: { values },
    facet: { column: { field: 'score', type: 'nominal', sort: scores, title: null } },
    spacing: 24,
    spec: {
      width: scores.length === 1 ? 420 : 230,
      height: { step: who.length > 1 ? 10 : 16 },
      encoding: { y: { ...y, axis: { domain: false, ticks: false } }, yOffset },
      layer: [
        {
          mark: { type: 'bar' },
          encoding: {
            x: { field: 'value', type: 'quantitative', title: null, scale: { domain: [...domain] }, axis },
            color: { field: 'who', type: 'nominal', scale: { domain: who, range: [OURS, PAPER] }, legend },
          },
        },
        {
          transform: [{ filter: 'datum.spread > 0' }],
          mark: { type: 'rule', color: LINE, strokeWidth: 1.25 },
          encoding: { x: { field: 'low', type: 'quantitative' }, x2: { field: 'high' } },
        },
      ],
    },
  };
}

/** The bars of a table: its first column names the rows, its columns of numbers are the scores. */
export function tableBars({ columns, rows }: ResultTable): ScoreBar[] {
  return rows.flatMap(([label, ...cells]) =>
    cells.flatMap((cell, index) =>
      typeof cell === 'object' ? [{ label: String(label), score: columns[index + 1], ...cell }] : [],
    ),
  );
}

export interface TrainingCurves {
  label: string;
  /** Per seed the loss of each epoch. */
  seeds: readonly ArrayLike<number>[];
}

/** Stands for a seed where the mean of all is drawn. */
const MEAN = 'mean';
/** Width of a panel among others. */
const PANEL = 220;

/** Each seed thin, their mean bold as far as all of them trained. A panel each where there are more than colours. */
export function trainingCurves(
  curves: readonly TrainingCurves[],
  { y = 'loss', log = false }: { y?: string; log?: boolean } = {},
): TopLevelSpec {
  const labels = curves.map(({ label }) => label);
  const isApart = labels.length > SERIES.length;
  const values = curves.flatMap(curvePoints).filter(({ value }) => Number.isFinite(value) && (!log || value > 0));
  const axis = { grid: false, tickMinStep: 1, tickCount: isApart ? 4 : 8 } as const;
  const scale = log ? ({ type: 'log', nice: false } as const) : ({ zero: false } as const);
  const legend = { ...LEGEND, columns: 3, symbolOpacity: 1, symbolStrokeWidth: 2.5 } as const;
  const color = { field: 'label', type: 'nominal', sort: labels, scale: { domain: labels } } as const;
  const encoding = {
    x: { field: 'epoch', type: 'quantitative', title: 'epoch', axis },
    y: { field: 'value', type: 'quantitative', title: y, scale, axis: { domain: false } },
    ...(!isApart && { color: { ...color, legend: labels.length > 1 ? legend : null } }),
  } as const;
  const line = { type: 'line', strokeJoin: 'round' } as const;
  const layer = [
    {
      transform: [{ filter: `datum.seed !== '${MEAN}'` }],
      mark: { ...line, strokeWidth: 1, opacity: 0.35 },
      encoding: { ...encoding, detail: { field: 'seed' } },
    },
    { transform: [{ filter: `datum.seed === '${MEAN}'` }], mark: { ...line, strokeWidth: 2.5 }, encoding },
  ];
  if (!isApart) return { ...{ width: 560, height: 260 }, data: { values }, layer };
  const header = { labelFontSize: 11, labelFontWeight: 'normal', labelLimit: 1.25 * PANEL } as const;
  const facet = { field: 'label', type: 'nominal', sort: labels, title: null, header } as const;
  return { data: { values }, facet, columns: 3, spec: { ...{ width: PANEL, height: 90 }, layer } };
}

function curvePoints({ label, seeds }: TrainingCurves) {
  const point = (seed: string, epoch: number, value: number) => ({ label, seed, epoch: epoch + 1, value });
  const shortest = seeds.length === 0 ? 0 : Math.min(...seeds.map((losses) => losses.length));
  const mean = (epoch: number) => seeds.reduce((sum, losses) => sum + losses[epoch], 0) / seeds.length;
  return [
    ...seeds.flatMap((losses, seed) => Array.from(losses, (loss, epoch) => point(`${seed}`, epoch, loss))),
    ...Array.from({ length: shortest }, (_, epoch) => point(MEAN, epoch, mean(epoch))),
  ];
}

export interface HistogramBin {
  from: number;
  to: number;
  count: number;
  /** Panels are one per series. */
  series?: string;
}

export function histogram(bins: readonly HistogramBin[], titles: { x: string; y?: string }): TopLevelSpec {
  const series = [...new Set(bins.map((bin) => bin.series ?? ''))];
  const panel = {
    width: series.length > 1 ? 260 : 560,
    height: series.length > 1 ? 150 : 240,
    mark: { type: 'bar', binSpacing: 1 },
    encoding: {
      x: { field: 'from', bin: { binned: true }, type: 'quantitative', title: titles.x, axis: { grid: false } },
      x2: { field: 'to' },
      y: { field: 'count', type: 'quantitative', title: titles.y ?? 'samples', axis: { domain: false, tickCount: 5 } },
    },
  } as const;
  const data = { values: bins.map((bin) => ({ ...bin, series: bin.series ?? '' })) };
  if (series.length === 1) return { data, ...panel };
  const facet = { field: 'series', type: 'nominal', sort: series, title: null } as const;
  return { data, facet, columns: 2, spec: panel, resolve: { scale: { y: 'independent' } } };
}

export interface LabelledMatrix {
  label: string;
  /** [row, column] */
  values: readonly ArrayLike<number>[];
}

/** Small multiples; the stronger the colour the larger the value, and values below zero have a colour of their own. */
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
    ...{ columns: Math.min(columns, matrices.length), spacing: 16 },
    spec: {
      ...{ width: side, height: side, view: { stroke: PAPER, strokeWidth: 1 } },
      mark: { type: 'rect' },
      encoding: {
        x: { field: 'column', type: 'ordinal', title: null, axis, scale: { padding: 0 } },
        y: { field: 'row', type: 'ordinal', title: null, axis, scale: { padding: 0 } },
        color: {
          ...{ field: 'sign', type: 'nominal', scale: signs },
          legend: signed ? { orient: 'bottom', title: null } : null,
        },
        opacity: {
          ...{ field: 'size', type: 'quantitative', scale: { domain: [0, largest], range: [0, 1] } },
          legend: { orient: 'bottom', title, symbolType: 'square', symbolFillColor: SERIES[0], symbolStrokeWidth: 0 },
        },
      },
    },
  };
}
