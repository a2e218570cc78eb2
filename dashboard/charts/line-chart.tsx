// Lines over a common axis: training curves, ROC, absence. It is drawn to its width; the pointer or the arrow keys read it.
import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { shownNumber } from '../words/numbers.ts';
import { useWidth } from './use-width.ts';

export type Point = [x: number, y: number | null];

export interface Series {
  name: string;
  /** Number of its colour, from 1. */
  colour: number;
  points: Point[];
  /** Lowest and highest at each point. */
  band?: [x: number, low: number, high: number][];
  isDashed?: boolean;
  hasDots?: boolean;
}

interface LineChartProps {
  /** What it shows, in a sentence for those who do not see it. */
  label: string;
  series: Series[];
  x: string;
  y: string;
  xDomain?: [number, number];
  yDomain?: [number, number];
  height?: number;
  showX?(x: number): string;
  /** Only whole numbers stand on the x axis, as of epochs. */
  isWhole?: boolean;
  /** A faint line from corner to corner, for what chance or a perfect calibration would give. */
  hasDiagonal?: boolean;
  /** Marks such as the best epoch. */
  marks?: { x: number; name: string }[];
}

const MARGIN = { top: 10, right: 14, bottom: 38, left: 48 };

export function LineChart(props: LineChartProps): JSX.Element {
  const { label, series, height = 240, hasDiagonal, marks = [] } = props;
  const [ref, width] = useWidth<HTMLDivElement>();
  const [read, setRead] = useState<number>();
  const xs = series.flatMap(({ points }) => points.map(([x]) => x));
  const ys = series.flatMap(({ points, band = [] }) => [
    ...points.flatMap(([, y]) => (y === null ? [] : [y])),
    ...band.flatMap(([, low, high]) => [low, high]),
  ]);
  const xScale = scaleLinear(props.xDomain ?? extent(xs), [MARGIN.left, width - MARGIN.right]);
  const yScale = scaleLinear(props.yDomain ?? extent(ys), [height - MARGIN.bottom, MARGIN.top]);
  if (!props.yDomain) yScale.nice(5);
  const ticks = Math.max(2, Math.floor(width / 90));
  const showX = props.showX ?? xScale.tickFormat(ticks);
  const readX = props.showX ?? shownNumber;
  const path = line<Point>()
    .defined(([, y]) => y !== null)
    .x(([x]) => xScale(x))
    .y(([, y]) => yScale(y ?? 0));
  const [left, right] = xScale.domain();
  const values = read === undefined ? [] : series.map((one) => ({ ...one, at: nearest(one.points, read) }));
  const move = (event: PointerEvent & { currentTarget: SVGSVGElement }): void =>
    setRead(xScale.invert(event.clientX - event.currentTarget.getBoundingClientRect().left));
  const step = (event: KeyboardEvent): void => {
    const size = (right - left) / 40;
    if (event.key !== 'ArrowRight' && event.key !== 'ArrowLeft') return;
    event.preventDefault();
    setRead((now) => clamp((now ?? left) + (event.key === 'ArrowRight' ? size : -size), left, right));
  };
  return (
    <figure class="chart" ref={ref as never}>
      {series.length > 1 && <Legend series={series} />}
      <div class="plot">
        <svg
          width={width}
          height={height}
          role="img"
          aria-label={`${label} ${summary(series)}`}
          tabIndex={0}
          onPointerMove={move}
          onPointerLeave={() => setRead(undefined)}
          onBlur={() => setRead(undefined)}
          onKeyDown={step}
        >
          <Axes
            {...{ xScale, yScale, width, height, ticks }}
            x={props.x}
            y={props.y}
            showX={showX}
            isWhole={props.isWhole ?? false}
          />
          {hasDiagonal && (
            <line class="diagonal" x1={xScale(left)} x2={xScale(right)} y1={yScale(left)} y2={yScale(right)} />
          )}
          {marks.map((mark) => (
            <g key={mark.name} class="mark">
              <line x1={xScale(mark.x)} x2={xScale(mark.x)} y1={MARGIN.top} y2={height - MARGIN.bottom} />
              <text
                x={xScale(mark.x)}
                y={MARGIN.top + 8}
                dx={xScale(mark.x) > width * 0.7 ? -5 : 5}
                text-anchor={xScale(mark.x) > width * 0.7 ? 'end' : 'start'}
              >
                {mark.name}
              </text>
            </g>
          ))}
          {series.map(({ name, colour, points, band, isDashed, hasDots }) => (
            <g key={name} class={`series c${colour}`}>
              {band && <path class="band" d={bandPath(band, xScale, yScale)} />}
              <path class={isDashed ? 'line dashed' : 'line'} d={path(points) ?? ''} />
              {hasDots &&
                points.map(([x, y]) => y !== null && <circle key={x} cx={xScale(x)} cy={yScale(y)} r="2.5" />)}
            </g>
          ))}
          {read !== undefined && (
            <g class="reader">
              <line
                x1={xScale(clamp(read, left, right))}
                x2={xScale(clamp(read, left, right))}
                y1={MARGIN.top}
                y2={height - MARGIN.bottom}
              />
              {values.map(({ name, colour, at }) =>
                at && at[1] !== null ? (
                  <circle key={name} class={`c${colour}`} cx={xScale(at[0])} cy={yScale(at[1])} r="4" />
                ) : null,
              )}
            </g>
          )}
        </svg>
        {read !== undefined && values.some(({ at }) => at) && (
          <div class={read > (left + right) / 2 ? 'reading at-left' : 'reading at-right'} aria-live="polite">
            <p>
              {props.x} {readX(values.find(({ at }) => at)?.at?.[0] ?? read)}
            </p>
            {values.map(({ name, colour, at }) => (
              <p key={name}>
                <span class={`key c${colour}`} /> {name} <strong>{shownNumber(at?.[1])}</strong>
              </p>
            ))}
          </div>
        )}
      </div>
    </figure>
  );
}

export const Legend = ({ series }: { series: Pick<Series, 'name' | 'colour' | 'isDashed'>[] }): JSX.Element => (
  <ul class="legend">
    {series.map(({ name, colour, isDashed }) => (
      <li key={name}>
        <span class={`key c${colour}${isDashed ? ' dashed' : ''}`} /> {name}
      </li>
    ))}
  </ul>
);

type Scale = ReturnType<typeof scaleLinear<number>>;

interface AxesProps {
  xScale: Scale;
  yScale: Scale;
  width: number;
  height: number;
  x: string;
  y: string;
  /** About so many ticks fit the x axis. */
  ticks: number;
  showX(x: number): string;
  isWhole: boolean;
}

function Axes({ xScale, yScale, width, height, x, y, ticks, showX, isWhole }: AxesProps): JSX.Element {
  const format = yScale.tickFormat(5);
  const xTicks = xScale.ticks(ticks).filter((tick) => !isWhole || Number.isInteger(tick));
  return (
    <g class="axes">
      {yScale.ticks(5).map((tick) => (
        <g key={tick}>
          <line class="grid" x1={MARGIN.left} x2={width - MARGIN.right} y1={yScale(tick)} y2={yScale(tick)} />
          <text x={MARGIN.left - 8} y={yScale(tick)} dy="0.32em" text-anchor="end">
            {format(tick)}
          </text>
        </g>
      ))}
      {xTicks.map((tick) => (
        <text key={tick} x={xScale(tick)} y={height - MARGIN.bottom + 16} text-anchor="middle">
          {showX(tick)}
        </text>
      ))}
      <text class="name" x={(MARGIN.left + width - MARGIN.right) / 2} y={height - 4} text-anchor="middle">
        {x}
      </text>
      <text
        class="name"
        transform={`translate(11 ${(height - MARGIN.bottom + MARGIN.top) / 2}) rotate(-90)`}
        text-anchor="middle"
      >
        {y}
      </text>
    </g>
  );
}

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

/** The range of values, never empty. */
export function extent(values: number[]): [number, number] {
  if (values.length === 0) return [0, 1];
  let [low, high] = [values[0], values[0]];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}

function nearest(points: Point[], x: number): Point | undefined {
  let best: Point | undefined;
  for (const point of points) if (!best || Math.abs(point[0] - x) < Math.abs(best[0] - x)) best = point;
  return best;
}

function bandPath(band: [number, number, number][], xScale: Scale, yScale: Scale): string {
  const there = band.map(([x, , high]) => `${xScale(x)},${yScale(high)}`);
  const back = band.map(([x, low]) => `${xScale(x)},${yScale(low)}`).reverse();
  return `M${[...there, ...back].join('L')}Z`;
}

/** The last value of every line, for those who do not see them. */
function summary(series: Series[]): string {
  const told = series.map(({ name, points }) => {
    const last = points.findLast(([, y]) => y !== null);
    return last ? `${name}: ${shownNumber(last[1])} at ${shownNumber(last[0])}` : `${name}: nothing yet`;
  });
  return `${told.join('; ')}.`;
}
