// Figures as SVG, from Vega-Lite specifications.
import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';

/** From nothing to all: for shares and probabilities. */
export const SEQUENTIAL = ['#eff6ff', '#60a5fa', '#1e3a8a'];

const STYLE = {
  background: 'white',
  config: {
    font: 'system-ui, sans-serif',
    view: { stroke: null },
    axis: { labelFontSize: 12, titleFontSize: 12, titleFontWeight: 'normal', gridColor: '#e5e7eb', labelLimit: 320 },
    title: { fontSize: 14, fontWeight: 'normal', anchor: 'start' },
    bar: { color: '#2563eb' },
  },
} as const;

export async function svgFigure(specification: TopLevelSpec): Promise<string> {
  const { spec } = compile({ ...STYLE, ...specification } as TopLevelSpec);
  const view = new View(parse(spec), { renderer: 'none' });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}
