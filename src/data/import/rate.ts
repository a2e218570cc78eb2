// [owner] Sampling rates and durations: parsed from text, or inferred from times.
import { F3Error } from '../../errors.ts';

/** `count` readings every `seconds` seconds: 30 Hz is 30 in 1, a reading every five minutes is 12 in 3600. */
export interface Rate {
  count: number;
  seconds: number;
}

const UNITS: Record<string, number> = { s: 1, min: 60, h: 3600, d: 86_400 };

/** Parses `30 Hz`, `12/h` or `1/7s`. Throws `F3_OPTION` on anything else. */
export function parseRate(text: string): Rate {
  const hertz = /^(\d+)\s*hz$/i.exec(text.trim());
  if (hertz && Number(hertz[1]) > 0) return { count: Number(hertz[1]), seconds: 1 };
  const per = /^(\d+)\s*\/\s*(\d*)\s*(s|min|h|d)$/.exec(text.trim());
  const rate = { count: Number(per?.[1]), seconds: Number(per?.[2] || 1) * UNITS[per?.[3] ?? 's'] };
  if (per && rate.count > 0 && rate.seconds > 0) return rate;
  throw new F3Error('F3_OPTION', `rate: must be like 30Hz, 12/h or 1/7s (units s, min, h, d), got ${text}`);
}

/** Seconds of `1s`, `15min` or `1h`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+)\s*(s|min|h|d)$/.exec(text.trim());
  const seconds = match ? Number(match[1]) * UNITS[match[2]] : 0;
  return seconds > 0 ? seconds : undefined;
}

/** A sampling rate as text, such as `30 Hz` or `12/h`. */
export function formatRate({ count, seconds }: Rate): string {
  if (seconds === 1) return `${count} Hz`;
  const [unit, size] = Object.entries(UNITS).findLast(([, size]) => seconds % size === 0) as [string, number];
  return `${count}/${seconds === size ? '' : seconds / size}${unit}`;
}

/**
 * The rate of ascending `times` (seconds): from the mean of the ordinary steps, so that stamps rounded to milliseconds
 * still give 30 Hz. Undefined unless that is a whole number per second or a whole number of seconds.
 */
export function inferRate(times: Float64Array): Rate | undefined {
  if (times.length < 2) return undefined;
  const steps = times.subarray(1).map((time, i) => time - times[i]);
  const median = steps.slice().sort()[Math.floor(steps.length / 2)];
  const ordinary = steps.filter((step) => step > median / 2 && step < median * 1.5);
  const step = ordinary.reduce((sum, value) => sum + value, 0) / ordinary.length;
  if (step < 0.9) return isAlmostWhole(1 / step) ? { count: Math.round(1 / step), seconds: 1 } : undefined;
  if (!isAlmostWhole(step)) return undefined;
  const whole = Math.round(step);
  const unit = Object.values(UNITS).find((size) => size % whole === 0) ?? whole;
  return { count: unit / whole, seconds: unit };
}

const isAlmostWhole = (value: number): boolean => Math.abs(value - Math.round(value)) < 0.05;
