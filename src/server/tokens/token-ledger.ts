// [coordinator] Accepts a request token only once, across requests, processes, restarts and steps of the clock.
import { F3Error } from '../../errors.ts';
import type { TokenUse } from '../../exchange/identity/request-token.ts';

export interface TokenLedger {
  /** The time by which tokens are judged. It never goes back. */
  now(): Date;
  /** Throws F3_AUTH_REPLAY for a token that was used before, and F3_AUTH_RETRY for one of which nobody knows any more. */
  use(token: TokenUse): Promise<void>;
  /** For a request without such a token. Like `use`, it learns what other processes have changed. */
  current(): Promise<void>;
  /** Says what is wrong with the clock, so that honest tokens are refused; undefined if nothing is. */
  clockTrouble(): Promise<string | undefined>;
  close(): Promise<void>;
}

export interface LedgerOptions {
  /** Takes the system's clock for right, even if it is behind the time that was lived through before. */
  acceptClock?: boolean | undefined;
  /** Instead of the system's clock, in milliseconds. */
  system?: (() => number) | undefined;
}

export const replayed = () => new F3Error('F3_AUTH_REPLAY', 'token: must be used once, got one that was used before');

export const outlived = () =>
  new F3Error('F3_AUTH_RETRY', 'token: must be newer than what the coordinator remembers; sign the request anew');

export const behindText = (milliseconds: number): string =>
  `its clock must not go back, got one that is ${Math.ceil(milliseconds / 1000)} s behind the time it has shown before`;
