// [owner] What moves a grid at rest: the loads of regions and buses wander, rotors swing a little in the slow modes.

import type { QuickNormal } from '../quick-normal.ts';
import { RECORD_SECONDS } from '../record.ts';
import type { Mode } from './mode-shapes.ts';

/** Relative wandering of a region's loads and of one bus's load, and how long it remembers, in seconds. */
const REGION = { spread: 0.006, seconds: 25 };
const BUS = { spread: 0.015, seconds: 6 };
/** How often per second something on a unit's own bus is switched, and its size as a share of the load. */
const BUS_STEPS = { perSecond: 1 / 400, spread: 0.06 };
/** Swing of the outermost rotor in radians at 1 Hz, growing as the mode gets slower; damping ratio. */
const MODE = { spread: 0.002, damping: 0.06 };
/** All of this is so slow that a few values a second, joined by straight lines, are enough. */
const KNOTS_PER_SECOND = 10;
const KNOTS = RECORD_SECONDS * KNOTS_PER_SECOND + 1;

/** The load of one unit's own bus. */
export interface OwnLoad {
  /** [knot]: relative deviation */
  knots: Float64Array;
  /** Sudden changes that stay. */
  steps: { second: number; size: number }[];
}

export class AmbientCauses {
  readonly #regions: number;
  readonly #modes: readonly Mode[];
  /** [cause, knot]: regions, then modes */
  readonly #causes: Float64Array;
  readonly #mixed = new Float64Array(KNOTS);

  constructor(regions: number, modes: readonly Mode[]) {
    this.#regions = regions;
    this.#modes = modes;
    this.#causes = new Float64Array((regions + modes.length) * KNOTS);
  }

  /** Draws the common causes of a new record. */
  draw(normal: QuickNormal): void {
    for (let region = 0; region < this.#regions; region++) wander(normal, this.#series(region), REGION);
    this.#modes.forEach(({ frequency }, m) => {
      const spread = (MODE.spread * 2 * Math.PI) / Math.max(frequency, 1);
      swing(normal, this.#series(this.#regions + m), spread, frequency / KNOTS_PER_SECOND);
    });
  }

  drawOwnLoad(normal: QuickNormal): OwnLoad {
    const knots = new Float64Array(KNOTS);
    wander(normal, knots, BUS);
    const steps: OwnLoad['steps'] = [];
    const wait = () => -Math.log(normal.uniform()) / BUS_STEPS.perSecond;
    for (let second = wait(); second < RECORD_SECONDS; second += wait()) {
      steps.push({ second, size: BUS_STEPS.spread * normal.next() });
    }
    return { knots, steps };
  }

  /** Adds the effect of all causes on a channel to its record of `rate` readings a second. slopes: [cause] */
  addTo(record: Float32Array, rate: number, slopes: Float64Array, own: OwnLoad, ownSlope: number): void {
    const mixed = this.#mixed;
    mixed.fill(0);
    addScaled(mixed, own.knots, ownSlope);
    for (let cause = 0; cause < slopes.length; cause++) addScaled(mixed, this.#series(cause), slopes[cause]);
    addLines(record, mixed, rate / KNOTS_PER_SECOND);
    for (const { second, size } of own.steps) {
      for (let frame = Math.ceil(second * rate); frame < record.length; frame++) record[frame] += ownSlope * size;
    }
  }

  #series(cause: number): Float64Array {
    return this.#causes.subarray(cause * KNOTS, (cause + 1) * KNOTS);
  }
}

function addScaled(out: Float64Array, values: Float64Array, factor: number): void {
  for (let i = 0; i < out.length; i++) out[i] += factor * values[i];
}

/** Adds straight lines from knot to knot. */
function addLines(record: Float32Array, knots: Float64Array, framesPerKnot: number): void {
  for (let knot = 0, frame = 0; frame < record.length; knot++) {
    const step = (knots[knot + 1] - knots[knot]) / framesPerKnot;
    for (let i = 0; i < framesPerKnot; i++, frame++) record[frame] += knots[knot] + i * step;
  }
}

/** Draws an Ornstein–Uhlenbeck process, knot by knot. */
function wander(
  normal: QuickNormal,
  out: Float64Array,
  { spread, seconds }: { spread: number; seconds: number },
): void {
  const keep = Math.exp(-1 / (seconds * KNOTS_PER_SECOND));
  const kick = spread * Math.sqrt(1 - keep * keep);
  let value = spread * normal.next();
  for (let knot = 0; knot < out.length; knot++) {
    out[knot] = value;
    value = keep * value + kick * normal.next();
  }
}

/** Draws a damped oscillator kicked by noise, an autoregression of order two. `turn` is its angle per knot. */
function swing(normal: QuickNormal, out: Float64Array, spread: number, turn: number): void {
  const decay = Math.exp(-MODE.damping * turn);
  const a1 = 2 * decay * Math.cos(turn * Math.sqrt(1 - MODE.damping ** 2));
  const a2 = -decay * decay;
  const variance = (1 - a2) / ((1 + a2) * ((1 - a2) ** 2 - a1 ** 2));
  const kick = spread / Math.sqrt(variance);
  let last = 0;
  let value = 0;
  const settle = Math.ceil(4 / (MODE.damping * turn));
  for (let knot = -settle; knot < out.length; knot++) {
    const next = a1 * value + a2 * last + kick * normal.next();
    last = value;
    value = next;
    if (knot >= 0) out[knot] = value;
  }
}
