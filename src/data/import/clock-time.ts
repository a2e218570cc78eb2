// [owner] Times as text, as short as they can be: 2012-03-01T07:00, seconds and fractions only where there are any.

/** `seconds` since the epoch, on the clock the data came with (no time zone). */
export function clockTime(seconds: number): string {
  const micros = Math.round(seconds * 1e6);
  const whole = new Date(Math.floor(micros / 1e6) * 1000).toISOString().slice(0, 19);
  const fraction = (((micros % 1e6) + 1e6) % 1e6).toString().padStart(6, '0').replace(/0+$/, '');
  if (fraction) return `${whole}.${fraction}`;
  return whole.endsWith(':00') ? whole.slice(0, 16) : whole;
}
