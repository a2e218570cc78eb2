// Bars of scores as a Vega-Lite specification: ours beside the paper's.
import type { TopLevelSpec } from 'vega-lite';
import { LINE, OURS, PAPER } from './report-figure.ts';
import type { ResultTable } from './result.ts';

export interface ScoreBar {
  label: string;
  /** There is one panel for each score. */
  score: string;
  mean: number;
  deviation?: number | undefined;
  paper?: number | undefined;
  paperDeviation?: number | undefined;
}

/** Draws our score and the paper's as bars side by side, with their deviations. */
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
  const legend = who.length > 1 ? ({ orient: 'top', title: null } as const) : null;
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

/** Turns a table into bars: its first column names the rows, its columns of numbers are the scores. */
export function tableBars({ columns, rows }: ResultTable): ScoreBar[] {
  return rows.flatMap(([label, ...cells]) =>
    cells.flatMap((cell, index) =>
      typeof cell === 'object' ? [{ label: String(label), score: columns[index + 1], ...cell }] : [],
    ),
  );
}
