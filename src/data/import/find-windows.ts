// [owner] Cuts a record into windows of consecutive readings, aligned to whole multiples since the epoch.
import { F3Error } from '../../errors.ts';
import { formatRate, type Rate } from './rate.ts';

/** What becomes of a window with a gap: an error, or the window is left out. */
export type GapRule = 'error' | 'drop';

export interface WindowRule {
  rate: Rate;
  /** Readings per window. */
  length: number;
  /** What to do with a window that lacks readings in the middle of the record. */
  gaps: GapRule;
  /** Writes a time (seconds) the way the source does. */
  formatTime: (seconds: number) => string;
}

export interface FoundWindows {
  /** Number of each window, counted in window durations since the epoch. */
  numbers: number[];
  /** The first row of each window; its rows follow one another. */
  rows: number[];
  /** Windows left out because of gaps. */
  dropped: number;
}

/**
 * The complete windows among `times` (seconds, one per row). Throws on times that repeat, run backwards or lie off the
 * grid, and on gaps. A first or last window that the record enters or leaves half-way is left out silently.
 */
export function findWindows(times: Float64Array, rule: WindowRule, thing: string): FoundWindows {
  const { length } = rule;
  const steps = gridSteps(times, rule, thing);
  const found: FoundWindows = { numbers: [], rows: [], dropped: 0 };
  for (let start = 0, end = 0; start < steps.length; start = end) {
    const number = Math.floor(steps[start] / length);
    while (end < steps.length && steps[end] < (number + 1) * length) end++;
    if (end - start === length) {
      found.numbers.push(number);
      found.rows.push(start);
      continue;
    }
    const unbroken = steps[end - 1] - steps[start] === end - 1 - start;
    const enters = start === 0 && (steps[end - 1] === (number + 1) * length - 1 || end === steps.length);
    const leaves = end === steps.length && steps[start] === number * length;
    if (unbroken && (enters || leaves)) continue;
    if (rule.gaps === 'error') throw gapError(steps.subarray(start, end), number, rule, thing);
    found.dropped++;
  }
  return found;
}

/** [row]: the whole number of steps since the epoch. Throws unless they ascend strictly. */
function gridSteps(times: Float64Array, { rate, formatTime }: WindowRule, thing: string): Float64Array {
  const steps = new Float64Array(times.length);
  for (let row = 0; row < times.length; row++) {
    const exact = (times[row] * rate.count) / rate.seconds;
    steps[row] = Math.round(exact);
    // Time stamps are rounded and clocks jitter, so a quarter of a step is forgiven.
    if (!(Math.abs(exact - steps[row]) <= 0.25)) {
      const rule = `times must lie on the grid of ${formatRate(rate)}`;
      throw new F3Error('F3_DATA_RATE', `${thing}: ${rule}, got ${formatTime(times[row])}`);
    }
    if (row === 0 || steps[row] > steps[row - 1]) continue;
    const found = `${formatTime(times[row])} after ${formatTime(times[row - 1])}`;
    if (steps[row] < steps[row - 1]) throw new F3Error('F3_DATA_ORDER', `${thing}: times must ascend, got ${found}`);
    throw new F3Error('F3_DATA_DUPLICATE', `${thing}: times must occur once, got ${found}`);
  }
  return steps;
}

function gapError(steps: Float64Array, number: number, rule: WindowRule, thing: string): F3Error {
  const { rate, length, formatTime } = rule;
  const time = (step: number) => formatTime((step * rate.seconds) / rate.count);
  const first = number * length;
  const present = new Set(steps);
  const missing = Array.from({ length }, (_, i) => first + i).filter((step) => !present.has(step));
  const window = `window ${time(first)} must have ${length} readings`;
  const message = `${thing}: ${window}, got ${steps.length} (none at ${time(missing[0])})`;
  return new F3Error('F3_DATA_GAP', message, { remedy: 'gaps' });
}
