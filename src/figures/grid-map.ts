// A power grid on the map with its lines, the owners' units on it, and the strongest edges of the consensus graph between them.
import type { TopLevelSpec } from 'vega-lite';
import { PAPER, SERIES } from './report-figure.ts';

/** Where the buses of a grid stand, in kilometres, what joins them, and who measures where. */
export interface GridLayout {
  buses: { x: number; y: number }[];
  /** Numbers of the buses at both ends. */
  lines: { from: number; to: number }[];
  /** Per owner the number of the bus it measures. */
  owners: { owner: string; bus: number }[];
}

export interface GridEdge {
  /** Numbers of its two owners. */
  ends: readonly [number, number];
  probability: number;
}

const WIDTH = 600;
/** With what stands beside it, this fits a phone. */
export const PHONE_GRID_WIDTH = 290;

export function gridMap({ buses, lines, owners }: GridLayout, edges: readonly GridEdge[], width = WIDTH): TopLevelSpec {
  const [xs, ys] = [extent(buses.map(({ x }) => x)), extent(buses.map(({ y }) => y))];
  const height = Math.round((width * (ys[1] - ys[0])) / (xs[1] - xs[0]));
  const axis = { title: null, axis: null, type: 'quantitative' } as const;
  const x = { ...axis, field: 'x', scale: { domain: xs, nice: false, zero: false } } as const;
  const y = { ...axis, field: 'y', scale: { domain: ys, nice: false, zero: false } } as const;
  const ends = { x, y, x2: { field: 'x2' }, y2: { field: 'y2' } } as const;
  const between = (from: number, to: number) => ({
    x: buses[from].x,
    y: buses[from].y,
    x2: buses[to].x,
    y2: buses[to].y,
  });
  const [line, edge, unit] = ['line of the grid', 'edge learned', 'owner'];
  const kinds = { domain: [line, edge, unit], range: [PAPER, SERIES[0], SERIES[1]] };
  const color = {
    field: 'kind',
    type: 'nominal',
    scale: kinds,
    legend: { orient: 'top', title: null, symbolOpacity: 1 },
  } as const;
  const strength = { field: 'probability', type: 'quantitative', legend: null, scale: { range: [0.35, 1] } } as const;
  return {
    width,
    height,
    layer: [
      {
        data: { values: lines.map(({ from, to }) => ({ ...between(from, to), kind: line })) },
        mark: { type: 'rule', strokeWidth: 3, strokeCap: 'round', opacity: 0.6 },
        encoding: { ...ends, color },
      },
      {
        data: {
          values: edges.map(({ ends: [from, to], probability }) => ({
            ...between(owners[from].bus, owners[to].bus),
            kind: edge,
            probability,
          })),
        },
        mark: { type: 'rule', strokeWidth: 1.2, strokeCap: 'round' },
        encoding: { ...ends, color, opacity: strength },
      },
      {
        data: { values: owners.map(({ bus }) => ({ x: buses[bus].x, y: buses[bus].y, kind: unit })) },
        mark: { type: 'circle', size: 45, opacity: 1 },
        encoding: { x, y, color },
      },
    ],
  };
}

/** Widened a little, so that nothing stands on the border. */
function extent(values: readonly number[]): [number, number] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const margin = 0.03 * (most - least) || 1;
  return [least - margin, most + margin];
}
