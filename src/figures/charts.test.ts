import { describe, expect, it, vi } from 'vitest';
import { xmlFault } from '../../test/support/check-xml.ts';
import { graphMap } from './graph-map.ts';
import { histogram } from './histogram.ts';
import { matrixTiles } from './matrix-tiles.ts';
import { fileFigure, pageFigure, SERIES } from './report-figure.ts';
import { scoreBars, tableBars } from './score-bars.ts';
import { trainingCurves } from './training-curves.ts';

const bins = [
  { from: 0, to: 0.5, count: 3 },
  { from: 0.5, to: 1, count: 5 },
];
const identity = [
  [1, 0],
  [0, 1],
];
const points = [
  { longitude: -118.3, latitude: 34.1 },
  { longitude: -118.2, latitude: 34.2 },
  { longitude: -118.4, latitude: 34.15 },
];
const edges = [
  { from: 0, to: 1, probability: 0.9 },
  { from: 1, to: 2, probability: 0.8 },
  { from: 0, to: 2, probability: 0.1 },
];

const charts = {
  'score bars': scoreBars([{ label: 'K & <L>', score: 'F1', mean: 0.8, deviation: 0.01, paper: 0.83 }]),
  'score bars of ours alone': scoreBars([{ label: 'K', score: 'F1', mean: 0.8 }]),
  'score bars of gaps alone': scoreBars([{ label: 'K', score: 'F1', mean: Number.NaN }]),
  'training curves': trainingCurves([{ label: 'K', seeds: [[1, 0.5, 0.3], Float64Array.of(1.1, 0.6)] }]),
  'training curves with gaps': trainingCurves([{ label: 'K', seeds: [[1, Number.NaN, 0]] }], { log: true }),
  'training curves apart': trainingCurves(
    Array.from({ length: 9 }, (_, i) => ({ label: `row ${i}`, seeds: [[1, 0.5], [1.1]] })),
    { log: true },
  ),
  'training curves of nothing': trainingCurves([]),
  'a histogram': histogram(bins, { x: 'entropy' }),
  histograms: histogram([...bins.map((bin) => ({ ...bin, series: 'a' })), { ...bins[0], series: 'b' }], { x: 'x' }),
  matrices: matrixTiles([{ label: 'owner 1', values: identity }]),
  'signed matrices': matrixTiles([{ label: 'owner 1', values: [[-1, Number.NaN]] }], { title: 'weight' }),
  'a graph on a map': graphMap(points, edges),
  'a graph without edges': graphMap(points, []),
  'a graph of one place': graphMap([points[0], points[0]], [{ from: 0, to: 1, probability: 0.5 }]),
};
const figure = (specification: (typeof charts)['matrices']) => ({
  name: 'x',
  title: 'A "title" & <more>',
  caption: '',
  specification,
});

describe.each(Object.entries(charts))('%s', (_, chart) => {
  it('give well-formed SVG in silence, as a file and inside the page', async () => {
    const warn = vi.spyOn(console, 'warn');
    const texts = [await fileFigure(figure(chart), true), await pageFigure(figure(chart), 'figure-x')];
    for (const text of texts) {
      expect(xmlFault(text)).toBeUndefined();
      expect(text).not.toMatch(/NaN|undefined|Infinity/);
    }
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });
});

describe('a figure', () => {
  it('inside the page has no colour of its own for text, axes and series', async () => {
    const svg = await pageFigure(figure(charts['training curves']), 'x');
    expect(svg).toContain('stroke="var(--c1)"');
    expect(svg).toContain('fill="var(--faint)"');
    expect(svg).not.toMatch(/"#[0-9a-f]{3,6}"|white|black/);
  });

  it('inside the page is one image with a name, and its ids are its own', async () => {
    const clipped = { ...charts['a histogram'], mark: { type: 'bar', clip: true } } as (typeof charts)['a histogram'];
    const svg = await pageFigure(figure(clipped), 'figure-7');
    expect(svg).toMatch(/^<svg [^>]*role="img" aria-label="A &#34;title&#34; &#38; &#60;more&#62;"/);
    expect(svg).toContain('id="figure-7-1"');
    expect(svg).toContain('url(#figure-7-1)');
  });

  it('in a file has a white ground, its title, and says when data is simulated', async () => {
    const [simulated, real] = await Promise.all([true, false].map((is) => fileFigure(figure(charts.matrices), is)));
    expect(simulated).toContain('fill="white"');
    expect(simulated).toContain('A "title" &amp; &lt;more&gt;');
    expect(simulated).toContain('simulated data');
    expect(real).not.toContain('simulated');
  });

  it('is the same whenever it is drawn', async () => {
    const draw = () => fileFigure(figure(charts['a graph on a map']), false);
    expect(await draw()).toBe(await draw());
  });
});

describe('charts', () => {
  it('of a table take its first column as labels and its numbers as scores', () => {
    const rows = [['K', 'F³', { mean: 0.8, paper: 0.83 }]];
    expect(tableBars({ title: '', columns: ['row', 'model', 'F1'], rows })).toEqual([
      { label: 'K', score: 'F1', mean: 0.8, paper: 0.83 },
    ]);
  });

  it('of training average as far as all seeds go', () => {
    const seeds = [
      [1, 3, 5],
      [2, 5],
    ];
    const { data } = trainingCurves([{ label: 'K', seeds }]) as unknown as Layer;
    expect(data.values.filter(({ seed }) => seed === 'mean').map(({ value }) => value)).toEqual([1.5, 4]);
    expect(data.values.filter(({ seed }) => seed === '1').map(({ value }) => value)).toEqual([2, 5]);
  });

  it('of training stand apart where there are more than colours', () => {
    const curves = (count: number) => Array.from({ length: count }, (_, i) => ({ label: `row ${i}`, seeds: [[1, 2]] }));
    expect(trainingCurves(curves(8))).toHaveProperty('layer');
    expect(trainingCurves(curves(9))).toHaveProperty('facet.field', 'label');
  });

  it('of a graph keep the strongest edges and the shape of the land', () => {
    const map = graphMap(points, edges, { strongest: 2 }) as unknown as {
      layer: Layer[];
      width: number;
      height: number;
    };
    expect(map.layer[0].data.values.map(({ probability }) => probability)).toEqual([0.9, 0.8]);
    expect(map.height / map.width).toBeCloseTo(0.1 / (0.2 * Math.cos((34.15 * Math.PI) / 180)), 2);
  });

  it('have colours enough for eight series', () => {
    expect(new Set(SERIES).size).toBe(8);
  });
});

interface Layer {
  data: { values: { seed?: string; value?: number; probability?: number }[] };
}
