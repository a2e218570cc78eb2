// [owner] Times as text, in the form that sample ids have: 2012-03-01T07:00, seconds and fractions only where there are any.
import { canonicalSampleId } from '../../exchange/bundle/canonical-time.ts';

/** `seconds` since the epoch, on the clock the data came with (no time zone). */
export function clockTime(seconds: number): string {
  const micros = Math.round(seconds * 1e6);
  const whole = new Date(Math.floor(micros / 1e6) * 1000).toISOString().slice(0, 19);
  const fraction = (((micros % 1e6) + 1e6) % 1e6).toString().padStart(6, '0');
  return canonicalSampleId(`${whole}.${fraction}`);
}

/** The same where the data came with zones: in UTC, and it says so. */
export const zonedTime = (seconds: number): string => `${clockTime(seconds)}Z`;
