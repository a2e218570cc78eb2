// Times in the reader's zone; how long ago it was stands in the text, the exact time in its title.
import type { JSX } from 'preact';
import { shownSpan } from './numbers.ts';

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
/** The reader's zone. */
export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export const shownExact = (time: string): string => `${exact.format(new Date(time))} (${ZONE})`;
/** Without the zone, where a heading tells it. */
export const shownDate = (time: string): string => exact.format(new Date(time));
export const shownClock = (time: string): string => clock.format(new Date(time));

/** `just now`, `5 min ago`, `in 3 h`, or the day when it is longer away. */
export function shownAgo(time: string, now = Date.now()): string {
  const seconds = (now - Date.parse(time)) / 1000;
  if (Math.abs(seconds) < 10) return 'just now';
  if (Math.abs(seconds) > 14 * 86_400) return day.format(new Date(time));
  return seconds > 0 ? `${shownSpan(seconds)} ago` : `in ${shownSpan(-seconds)}`;
}

const SHOWN = { ago: shownAgo, clock: shownClock, date: shownDate, exact: shownExact };

/** A time, or a dash where there is none. */
export function Time({ at, of = 'ago' }: { at: string | null | undefined; of?: keyof typeof SHOWN }): JSX.Element {
  if (!at) return <span class="faint">–</span>;
  const text = SHOWN[of](at);
  return (
    <time dateTime={at} title={shownExact(at)}>
      {text}
    </time>
  );
}
