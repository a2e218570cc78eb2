// [wire] How long to wait before trying again: longer after each failure, never in step with others.
import { randomInt } from 'node:crypto';

/** How often and how patiently a request is tried again. */
export interface BackOff {
  /** How often a request is tried before the client gives up. */
  attempts: number;
  /** Milliseconds to wait after the first failure; they double after each further one. */
  first: number;
  /** The most milliseconds to wait. */
  longest: number;
}

/** All tries together take about half a minute. */
export const DEFAULT_BACK_OFF: BackOff = { attempts: 8, first: 250, longest: 15_000 };

/** Time and chance, which tests replace so that they need neither wait nor guess. */
export interface Clock {
  /** The time of day, which tokens are stamped with. */
  now(): Date;
  /** Resolves after so many milliseconds. */
  sleep(milliseconds: number): Promise<void>;
  /** A number from 0 to below 1. */
  random(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  random: () => randomInt(2 ** 32) / 2 ** 32,
};

/** Milliseconds to wait after the `failures`-th failure in a row: between half and all of first · 2^(failures − 1). */
export function delayAfter(failures: number, { first, longest }: BackOff, { random }: Clock): number {
  return Math.min(longest, first * 2 ** (failures - 1)) * (0.5 + random() / 2);
}

/** Milliseconds of a Retry-After header (RFC 9110, 10.2.3): seconds or a date. */
export function retryAfter(header: string | null, now: Date): number {
  if (header === null) return 0;
  const milliseconds = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now.getTime();
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : 0;
}
