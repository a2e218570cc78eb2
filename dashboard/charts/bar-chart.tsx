// Upright bars side by side: histograms of edges, samples by number of owners, calibration.
import { scaleLinear, scaleSqrt } from 'd3-scale';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { shownCount } from '../words/numbers.ts';
import { useWidth } from './use-width.ts';

export interface Bar {
  name: string;
  value: number;
  /** Whether it is among those that count, such as edges above a threshold. */
  isOn?: boolean;
}

interface BarChartProps {
  label: string;
  bars: Bar[];
  /** What one bar stands for. */
  x: string;
  /** The unit of its height. */
  unit: string;
  height?: number;
  /** Square roots of heights, so that rare bars are seen beside frequent ones. */
  isRoot?: boolean;
}

const MARGIN = { top: 6, bottom: 34, side: 2 };

export function BarChart({ label, bars, x, unit, height = 130, isRoot = false }: BarChartProps): JSX.Element {
  const [ref, width] = useWidth<HTMLDivElement>(400);
  const [read, setRead] = useState<number>();
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const scale = (isRoot ? scaleSqrt : scaleLinear)([0, most], [0, height - MARGIN.top - MARGIN.bottom]);
  const step = (width - 2 * MARGIN.side) / Math.max(1, bars.length);
  const gap = Math.min(2, step * 0.2);
  const every = Math.max(1, Math.ceil(46 / step));
  const told = bars.filter(({ value }) => value > 0).map(({ name, value }) => `${name}: ${shownCount(value)} ${unit}`);
  const shown = read === undefined ? undefined : bars[read];
  return (
    <figure class="chart bars" ref={ref as never}>
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={`${label} ${told.slice(0, 12).join('; ')}.`}
        onPointerLeave={() => setRead(undefined)}
      >
        {bars.map(({ name, value, isOn = true }, at) => {
          const tall = value > 0 ? Math.max(1, scale(value)) : 0;
          const left = MARGIN.side + at * step;
          return (
            <g key={name} onPointerEnter={() => setRead(at)}>
              <rect class="reach" x={left} y={0} width={step} height={height - MARGIN.bottom} />
              <rect
                class={isOn ? 'bar' : 'bar off'}
                x={left + gap / 2}
                width={Math.max(0.5, step - gap)}
                y={height - MARGIN.bottom - tall}
                height={tall}
              />
              {at % every === 0 && (
                <text
                  x={at === 0 ? 0 : left + step / 2}
                  y={height - MARGIN.bottom + 14}
                  text-anchor={at === 0 ? 'start' : 'middle'}
                >
                  {name}
                </text>
              )}
            </g>
          );
        })}
        <line class="base" x1={0} x2={width} y1={height - MARGIN.bottom + 0.5} y2={height - MARGIN.bottom + 0.5} />
        <text class="name" x={width / 2} y={height - 4} text-anchor="middle">
          {shown ? `${shown.name}: ${shownCount(shown.value)} ${unit}` : x}
        </text>
      </svg>
    </figure>
  );
}
