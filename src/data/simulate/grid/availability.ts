// [owner] What never arrives: units that are not yet installed, outages that last for many events, gaps inside a record.
import type { RandomStream } from '../../../core/random.ts';
import { between, gridStream } from './random-streams.ts';

const LATE_SHARE = 0.35;
const LATEST_START = 0.6;
/** Share of its time that a unit is down, and the mean length of an outage as a share of the whole time. */
const DOWN = [0.02, 0.5] as const;
const OUTAGE = 0.005;

/** isPresent: [sample, owner]. Samples are in the order of time; each reaches an owner, and each owner sees the last. */
export function drawPresence(seed: number, owners: number, samples: number): Uint8Array {
  const random = gridStream(seed, 'availability');
  const isPresent = new Uint8Array(samples * owners);
  for (let owner = 0; owner < owners; owner++) {
    const isLate = random.uniform() < LATE_SHARE;
    const start = Math.floor(between(random, 0, LATEST_START) * samples);
    const down = between(random, ...DOWN);
    const recover = 1 / Math.max(2, OUTAGE * samples);
    const fail = (recover * down) / (1 - down);
    let isDown = random.uniform() < down;
    for (let sample = 0; sample < samples; sample++) {
      isPresent[sample * owners + owner] = isDown || (isLate && sample < start) ? 0 : 1;
      isDown = random.uniform() < (isDown ? 1 - recover : fail);
    }
    isPresent[(samples - 1) * owners + owner] = 1;
  }
  for (let sample = 0; sample < samples; sample++) {
    const row = isPresent.subarray(sample * owners, (sample + 1) * owners);
    if (!row.includes(1)) row[sample % owners] = 1;
  }
  return isPresent;
}

const LOSSY_SHARE = 0.15;
const LOSSY = { perSecond: 0.2, seconds: 0.5 };
const SOUND = { perSecond: 0.01, seconds: 0.1 };

/** Sets the lost frames of one unit's record to 1: single frames as a rule, long bursts on a bad connection. */
export function drawGaps(random: RandomStream, isLost: Uint8Array, rate: number): void {
  isLost.fill(0);
  const { perSecond, seconds } = random.uniform() < LOSSY_SHARE ? LOSSY : SOUND;
  const exponential = (mean: number) => Math.ceil(-Math.log(random.uniform()) * mean * rate);
  for (let frame = exponential(1 / perSecond); frame < isLost.length; frame += exponential(1 / perSecond)) {
    const end = frame + exponential(seconds);
    isLost.fill(1, frame, end);
    frame = end;
  }
}

/**
 * Fills lost values (NaN) linearly between their neighbours, and with the nearest value at the ends, in place; as
 * pandas' interpolate(method='linear', limit_direction='both'). Returns false when there is nothing to go by.
 */
export function interpolateGaps(values: Float64Array): boolean {
  let last = -1;
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i])) continue;
    if (last < 0) values.fill(values[i], 0, i);
    for (let k = last + 1; k < i && last >= 0; k++) {
      values[k] = values[last] + ((values[i] - values[last]) * (k - last)) / (i - last);
    }
    last = i;
  }
  if (last >= 0) values.fill(values[last], last + 1);
  return last >= 0;
}
