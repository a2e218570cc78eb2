// The consensus graph on the map: owners where they stand, the strongest edges between them, as a Vega-Lite specification.
import type { TopLevelSpec } from 'vega-lite';
import { LINE, SERIES } from './report-figure.ts';

export interface MapPoint {
  longitude: number;
  latitude: number;
}

export interface MapEdge {
  /** Number of the point where the edge begins; `to` is that of its other end. */
  from: number;
  to: number;
  probability: number;
}

export interface MapOptions {
  /** How many edges are drawn, the likeliest first; 300 by default. */
  strongest?: number | undefined;
  /** Width of the map in pixels; 600 by default. */
  width?: number | undefined;
}

const MAP_WIDTH = 600;
/** Width in pixels of a map that fits a phone, with what stands beside it. */
export const PHONE_MAP_WIDTH = 260;
const KILOMETRES_PER_DEGREE = 111.2;

/** Draws the strongest edges. A kilometre is as long from west to east as from south to north. */
export function graphMap(
  points: readonly MapPoint[],
  edges: readonly MapEdge[],
  { strongest = 300, width = MAP_WIDTH }: MapOptions = {},
): TopLevelSpec {
  const shown = edges
    .filter(({ from, to, probability }) => from !== to && Number.isFinite(probability))
    .toSorted((a, b) => b.probability - a.probability)
    .slice(0, strongest);
  const degrees = points.map(() => 0);
  for (const { from, to } of shown) for (const end of [from, to]) degrees[end]++;
  const xs = extent(points.map(({ longitude }) => longitude));
  const ys = extent(points.map(({ latitude }) => latitude));
  const shrink = Math.cos((((ys[0] + ys[1]) / 2) * Math.PI) / 180);
  const height = Math.round((width * (ys[1] - ys[0])) / ((xs[1] - xs[0]) * shrink));
  const [least, most] = extent(
    shown.map(({ probability }) => probability),
    0,
  );
  const degree = { type: 'quantitative', title: null, scale: { nice: false, zero: false } } as const;
  const axis = { grid: true, tickCount: 4, domain: false, ticks: false, format: '.2f' } as const;
  const x = { ...degree, field: 'longitude', scale: { ...degree.scale, domain: xs }, title: 'longitude (°)', axis };
  const y = { ...degree, field: 'latitude', scale: { ...degree.scale, domain: ys }, title: 'latitude (°)', axis };
  const kilometres = roundLength(((xs[1] - xs[0]) * shrink * KILOMETRES_PER_DEGREE) / 5);
  const bar = {
    longitude: xs[0] + 0.03 * (xs[1] - xs[0]),
    latitude: ys[0] + 0.05 * (ys[1] - ys[0]),
    text: `${kilometres} km`,
  };
  const barEnd = bar.longitude + kilometres / (shrink * KILOMETRES_PER_DEGREE);
  return {
    width,
    height,
    layer: [
      {
        data: {
          values: shown.map(({ from, to, probability }) => ({
            longitude: points[from].longitude,
            latitude: points[from].latitude,
            longitude2: points[to].longitude,
            latitude2: points[to].latitude,
            probability,
          })),
        },
        mark: { type: 'rule', color: SERIES[0], strokeCap: 'round', strokeWidth: 1.6 },
        encoding: {
          x,
          y,
          x2: { field: 'longitude2' },
          y2: { field: 'latitude2' },
          opacity: {
            field: 'probability',
            type: 'quantitative',
            title: 'edge probability',
            scale: { domain: [least, most], range: [0.25, 1], zero: false, nice: false },
            legend: {
              orient: 'top',
              tickCount: 4,
              symbolType: 'stroke',
              symbolStrokeColor: SERIES[0],
              symbolSize: 300,
            },
          },
        },
      },
      {
        data: { values: points.map(({ longitude, latitude }, i) => ({ longitude, latitude, edges: degrees[i] })) },
        mark: { type: 'circle', color: SERIES[1], opacity: 0.9 },
        encoding: {
          x,
          y,
          size: {
            field: 'edges',
            type: 'quantitative',
            title: 'edges shown',
            scale: { range: [8, 90] },
            legend: { orient: 'top', tickCount: 3, symbolFillColor: SERIES[1] },
          },
        },
      },
      {
        data: { values: [{ ...bar, longitude2: barEnd }] },
        mark: { type: 'rule', color: LINE, strokeWidth: 2 },
        encoding: { x, y, x2: { field: 'longitude2' } },
      },
      {
        data: { values: [bar] },
        mark: { type: 'text', align: 'left', dy: -9 },
        encoding: { x, y, text: { field: 'text' } },
      },
    ],
  };
}

/** The smallest and the largest value, moved apart by the share `margin` of their distance; they are never the same. */
function extent(values: readonly number[], margin = 0.04): [number, number] {
  const least = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const most = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  if (!(most > least)) return Number.isFinite(least) ? [least - 0.01, most + 0.01] : [0, 1];
  return [least - margin * (most - least), most + margin * (most - least)];
}

/** The largest of 1, 2, 5, 10, … that is not above `length`. */
function roundLength(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length));
  return [5, 2, 1].map((factor) => factor * power).find((candidate) => candidate <= length) ?? power;
}
