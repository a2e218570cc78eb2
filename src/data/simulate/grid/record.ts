// [owner] The three-minute record of one channel and the second that stands out most: largest z-score against the past.
import type { EventResponse } from './events/event-response.ts';

export const RECORD_SECONDS = 180;
export const WINDOW_SECONDS = 1;
/** Windows start on a multiple of this many seconds, so that 30 Hz and 60 Hz units cut the same second. */
const GRID_SECONDS = 1 / 30;
/** How much of the window lies before the largest z-score. */
const LEAD_SECONDS = 1 / 3;
/** A reading is compared with the mean of the seconds before it. */
const BASELINE_SECONDS = 5;
const TAIL_FIT_SECONDS = 3;
const TAIL_BLEND_SECONDS = 2;
const TAIL_SETTLED = 15;

/**
 * What one channel shows without noise, by tick (`rate` per second) since frame 0 of the response: the steady value
 * before it, then the simulated response, then its continuation. The continuation is the mean of the response's last
 * seconds or, for a forced oscillation (`hertz`), the sinusoid fitted to them.
 */
export class EventSeries {
  readonly #values: Float64Array;
  readonly #rate: number;
  /** Angle of the fitted sinusoid per tick; 0 for a level. */
  readonly #turn: number;
  readonly #fit: [level: number, cosine: number, sine: number];
  /** Last value of the response minus its fit; it dies away in the continuation. */
  readonly #remainder: number;

  constructor(response: EventResponse, rate: number, channel: number, channels: number, hertz: number | undefined) {
    const { frames, magnitudes } = response;
    this.#rate = rate;
    this.#values = Float64Array.from({ length: frames }, (_, frame) => magnitudes[frame * channels + channel]);
    this.#turn = (2 * Math.PI * (hertz ?? 0)) / rate;
    // A slow oscillation can be told from a level only over a whole period.
    const seconds = hertz === undefined ? TAIL_FIT_SECONDS : Math.max(TAIL_FIT_SECONDS, 1 / hertz);
    this.#fit = fitSinusoid(this.#values, Math.max(0, frames - Math.round(seconds * rate)), this.#turn);
    this.#remainder = this.#values[frames - 1] - this.#fitted(frames - 1);
  }

  /** Writes every `stride`-th tick into `record`, with frame 0 of the response at `eventTick`. */
  fill(record: Float32Array, stride: number, eventTick: number): void {
    const values = this.#values;
    const blend = TAIL_BLEND_SECONDS * this.#rate;
    const tail = Math.ceil((eventTick + values.length) / stride);
    // From here on nothing is left of the remainder, and a level stays what it is.
    const settled = Math.min(record.length, tail + Math.ceil((TAIL_SETTLED * blend) / stride));
    const first = Math.ceil(eventTick / stride);
    record.fill(values[0], 0, first);
    for (let frame = first; frame < Math.min(tail, record.length); frame++)
      record[frame] = values[frame * stride - eventTick];
    for (let frame = tail; frame < settled; frame++) {
      const tick = frame * stride - eventTick;
      record[frame] = this.#fitted(tick) + this.#remainder * Math.exp(-(tick - values.length + 1) / blend);
    }
    if (this.#turn === 0) record.fill(this.#fit[0], settled);
    else
      for (let frame = settled; frame < record.length; frame++)
        record[frame] = this.#fitted(frame * stride - eventTick);
  }

  #fitted(tick: number): number {
    const [level, cosine, sine] = this.#fit;
    if (this.#turn === 0) return level;
    return level + cosine * Math.cos(this.#turn * tick) + sine * Math.sin(this.#turn * tick);
  }
}

/** Least squares of level + a·cos(turn·t) + b·sin(turn·t) over t ≥ start; the mean alone when turn is 0. */
function fitSinusoid(values: Float64Array, start: number, turn: number): [number, number, number] {
  let mean = 0;
  for (let t = start; t < values.length; t++) mean += values[t] / (values.length - start);
  if (turn === 0) return [mean, 0, 0];
  const basis = (t: number) => [1, Math.cos(turn * t), Math.sin(turn * t)];
  const normal = Array.from({ length: 3 }, () => [0, 0, 0, 0]);
  for (let t = start; t < values.length; t++) {
    const b = basis(t);
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) normal[i][j] += b[i] * b[j];
      normal[i][3] += b[i] * (values[t] - mean);
    }
  }
  for (let i = 0; i < 3; i++) {
    for (let k = 0; k < 3; k++) {
      if (k === i) continue;
      const factor = normal[k][i] / normal[i][i];
      for (let j = i; j < 4; j++) normal[k][j] -= factor * normal[i][j];
    }
  }
  return [mean + normal[0][3] / normal[0][0], normal[1][3] / normal[1][1], normal[2][3] / normal[2][2]];
}

export interface Peak {
  /** Seconds from the record's beginning. */
  second: number;
  score: number;
}

/**
 * Where a record (NaN where lost, `rate` readings a second) departs most from the mean of the five seconds before, in
 * standard deviations of such departures.
 */
export function largestScore(record: Float32Array, rate: number): Peak {
  const baseline = BASELINE_SECONDS * rate;
  let sum = 0;
  let count = 0;
  let squares = 0;
  let scored = 0;
  let largest = -1;
  let peak = 0;
  for (let frame = 0; frame < record.length; frame++) {
    const value = record[frame];
    const isLost = Number.isNaN(value);
    if (!isLost && frame >= baseline && count > 0) {
      const departure = Math.abs(value - sum / count);
      squares += departure * departure;
      scored++;
      if (departure > largest) {
        largest = departure;
        peak = frame;
      }
    }
    if (!isLost) {
      sum += value;
      count++;
    }
    const leaving = frame >= baseline ? record[frame - baseline] : Number.NaN;
    if (!Number.isNaN(leaving)) {
      sum -= leaving;
      count--;
    }
  }
  return { second: peak / rate, score: scored === 0 ? 0 : largest / Math.sqrt(squares / scored) };
}

/** Beginning of the one-second window around a peak, in seconds from the record's beginning. */
export function windowStart(peakSecond: number): number {
  const start = Math.floor((peakSecond - LEAD_SECONDS) / GRID_SECONDS + 1e-6) * GRID_SECONDS;
  return Math.min(Math.max(start, 0), RECORD_SECONDS - WINDOW_SECONDS);
}
