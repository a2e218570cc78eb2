// Whose session this is: a one-time code of the address becomes a cookie, which no script can read; and its end.
import { signal } from '@preact/signals';
import type { Session } from '../src/exchange/messages/sessions.ts';
import { isAway, returns } from './coordinator/connection.ts';
import { ask, Refusal, whenSignedOut } from './coordinator/request.ts';

/** Before a session is there: not known yet, nobody, a code that was refused, or one that ended while the page was open. */
export type Absence =
  | { state: 'starting' }
  | { state: 'none' }
  | { state: 'refused'; refusal: Refusal }
  | { state: 'ended'; refusal?: Refusal };

export const session = signal<Session | Absence>({ state: 'starting' });

export const isSignedIn = (value: Session | Absence): value is Session => 'owner' in value;

const CODE = /^#\/?code=(.+)$/;

export async function startSession(): Promise<void> {
  whenSignedOut((refusal) => {
    if (isSignedIn(session.value)) session.value = { state: 'ended', refusal };
  });
  addEventListener('hashchange', () => {
    if (CODE.test(location.hash)) void enter();
  });
  returns.subscribe((count) => {
    if (count > 0 && !isSignedIn(session.value)) void enter();
  });
  await enter();
}

async function enter(): Promise<void> {
  const code = CODE.exec(location.hash)?.[1];
  // The code is good once, and must not stay where somebody reads it over a shoulder or in the history.
  if (code) history.replaceState(null, '', '#/');
  try {
    session.value = code
      ? await ask<Session>('/v1/sessions', { method: 'POST', body: { code: decodeURIComponent(code) } })
      : await ask<Session>('/v1/session');
  } catch (error) {
    if (!(error instanceof Refusal)) {
      // The coordinator is away: the code is kept for the next try, since it may not have been used.
      if (code && isAway.value) history.replaceState(null, '', `#code=${code}`);
      return;
    }
    session.value = code ? { state: 'refused', refusal: error } : { state: 'none' };
  }
}

export async function signOut(): Promise<void> {
  await ask('/v1/session', { method: 'DELETE' }).catch(() => undefined);
  session.value = { state: 'none' };
  location.hash = '#/';
}
