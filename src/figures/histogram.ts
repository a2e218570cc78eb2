// Counts by interval as a Vega-Lite specification.
import type { TopLevelSpec } from 'vega-lite';

export interface HistogramBin {
  from: number;
  to: number;
  count: number;
  /** There is one panel for each series. */
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
