// Draws figures as SVG from Vega-Lite specifications.
import * as vega from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import { textWidth } from '../base/text-width.ts';

/** Colours from nothing to all, for shares and probabilities. */
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

// Vega's own estimate takes every letter for a wide one and leaves gaps; its types leave this setting out.
(vega as unknown as { textMetrics: { width: typeof textWidth } }).textMetrics.width = textWidth;

export async function svgFigure(specification: TopLevelSpec): Promise<string> {
  const { spec } = compile({ ...STYLE, ...specification } as TopLevelSpec);
  const view = new vega.View(vega.parse(spec), { renderer: 'none' });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}
