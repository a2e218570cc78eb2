import type { TopLevelSpec } from 'vega-lite';
import { describe, expect, it } from 'vitest';
import { histogram } from './histogram.ts';
import { matrixTiles } from './matrix-tiles.ts';
import { breakLabel, fitPanels, narrowFigure, PHONE_WIDTH } from './narrow-figure.ts';
import { pageFigure } from './report-figure.ts';
import { scoreBars } from './score-bars.ts';
import { trainingCurves } from './training-curves.ts';

const LABELS = ['E mean pooling', 'H F³ without alignment', 'mean pooling, 13 of 43 owners absent'];
const bars = LABELS.flatMap((label) => [
  { label, score: 'macro F1', mean: 0.5, deviation: 0.01, paper: 0.6 },
  { label, score: 'ROC AUC', mean: 0.7, deviation: 0.01, paper: 0.6 },
]);
const curve = Array.from({ length: 30 }, (_, i) => 1 / (1 + i));
const curves = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ label: `${LABELS[1]} ${i}`, seeds: [curve] }));
const bins = ['a', 'b'].flatMap((series) => [0, 1, 2].map((from) => ({ from, to: from + 1, count: 3, series })));
const matrix = Array.from({ length: 16 }, (_, i) => Array.from({ length: 16 }, (_, j) => Math.sin(i * j)));
const tiles = ['a', 'b', 'c', 'd'].map((label) => ({ label, values: matrix }));
const sideLegend: TopLevelSpec = {
  width: 420,
  height: 240,
  data: { values: [{ x: 1, y: 2, of: 'a series with a long name' }] },
  mark: 'point',
  encoding: {
    x: { field: 'x', type: 'quantitative' },
    y: { field: 'y', type: 'quantitative' },
    color: { field: 'of', type: 'nominal' },
  },
};

const FIGURES: Record<string, TopLevelSpec> = {
  bars: scoreBars(bars),
  'few curves': trainingCurves(curves(4)),
  'many curves': trainingCurves(curves(12)),
  histograms: histogram(bins, { x: 'entropy' }),
  matrices: matrixTiles(tiles),
  'a legend beside': sideLegend,
};

describe('figures on a phone', () => {
  it.each(Object.entries(FIGURES))('%s fit', async (_, specification) => {
    const svg = await pageFigure({ name: 'x', title: 'x', caption: '', specification }, 'id');
    const widths = [...svg.matchAll(/class="(\w+)" style="--width:(\d+)px"/g)];
    expect(widths.map(([, name]) => name)).toEqual(['wide', 'narrow']);
    expect(Number(widths[1][2])).toBeLessThanOrEqual(PHONE_WIDTH);
    expect(Number(widths[0][2])).toBeGreaterThan(PHONE_WIDTH);
    const ids = [...svg.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('come once where they fit as they are', async () => {
    const specification: TopLevelSpec = { width: 120, height: 80, data: { values: [{}] }, mark: 'point' };
    const svg = await pageFigure({ name: 'x', title: 'x', caption: '', specification }, 'id');
    expect(svg.split('<svg ')).toHaveLength(2);
    expect(svg).not.toContain('class="wide"');
  });

  it('keep every label, on several lines', async () => {
    expect(LABELS.map(breakLabel)).toEqual([
      ['E mean pooling'],
      ['H F³ without', 'alignment'],
      ['mean pooling, 13', 'of 43 owners', 'absent'],
    ]);
    const narrow = await pageFigure({ name: 'x', title: 'x', caption: '', specification: FIGURES.bars }, 'id');
    const drawn = narrow.slice(narrow.indexOf('class="narrow"'));
    for (const line of LABELS.flatMap(breakLabel)) expect(drawn).toContain(`>${line}<`);
    expect(drawn).not.toContain('…');
  });

  it('keep squares square', () => {
    const square = narrowFigure({ ...sideLegend, height: 420 } as TopLevelSpec);
    const fitted = fitPanels(square as NonNullable<typeof square>, PHONE_WIDTH + 40) as unknown as {
      width: number;
      height: number;
    };
    expect(fitted.width).toBe(PHONE_WIDTH - 40);
    expect(fitted.height).toBe(fitted.width);
  });
});
