// Times in the reader's zone; how long ago it was stands in the text, the exact time in its title.
import type { JSX } from 'preact';
import { shownSpan } from './numbers.ts';

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export const shownExact = (time: string): string => `${exact.format(new Date(time))} (${zone})`;
export const shownClock = (time: string): string => clock.format(new Date(time));

/** `just now`, `5 min ago`, `in 3 h`, or the day when it is longer away. */
export function shownAgo(time: string, now = Date.now()): string {
  const seconds = (now - Date.parse(time)) / 1000;
  if (Math.abs(seconds) < 10) return 'just now';
  if (Math.abs(seconds) > 14 * 86_400) return day.format(new Date(time));
  return seconds > 0 ? `${shownSpan(seconds)} ago` : `in ${shownSpan(-seconds)}`;
}

/** A time, or a dash where there is none. */
export function Time({
  at,
  of = 'ago',
}: {
  at: string | null | undefined;
  of?: 'ago' | 'clock' | 'exact';
}): JSX.Element {
  if (!at) return <span class="faint">–</span>;
  const text = of === 'clock' ? shownClock(at) : of === 'exact' ? shownExact(at) : shownAgo(at);
  return (
    <time dateTime={at} title={shownExact(at)}>
      {text}
    </time>
  );
}
