// [owner] Readings that never arrive: units not yet installed, outages that last for many events, gaps inside a record.
import type { RandomStream } from '../../../core/random.ts';
import { between, gridStream } from './random-streams.ts';

/** Share of the units that are installed after the first sample, and by when they are, as a share of the whole time. */
const NEW_UNIT_SHARE = 0.35;
const LATEST_INSTALLATION = 0.6;
/** Share of its time that a unit is down, and the mean length of an outage as a share of the whole time. */
const DOWN_SHARE = [0.02, 0.5] as const;
const OUTAGE_LENGTH = 0.005;

/** isPresent: [sample, owner], in time order. Every sample reaches an owner, and every owner sees the last sample. */
export function drawPresence(seed: number, owners: number, samples: number): Uint8Array {
  const random = gridStream(seed, 'availability');
  const isPresent = new Uint8Array(samples * owners);
  for (let owner = 0; owner < owners; owner++) {
    const isNew = random.uniform() < NEW_UNIT_SHARE;
    const start = Math.floor(between(random, 0, LATEST_INSTALLATION) * samples);
    const down = between(random, ...DOWN_SHARE);
    const recover = 1 / Math.max(2, OUTAGE_LENGTH * samples);
    const fail = (recover * down) / (1 - down);
    let isDown = random.uniform() < down;
    for (let sample = 0; sample < samples; sample++) {
      isPresent[sample * owners + owner] = isDown || (isNew && sample < start) ? 0 : 1;
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

/** Sets the lost frames of one unit's record to 1. Most units lose single frames, some lose long bursts. */
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
 * Fills lost values (NaN) in place: linearly between their neighbours, and with the nearest value at the ends, like
 * pandas' interpolate(method='linear', limit_direction='both'). Returns false when every value is lost.
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
