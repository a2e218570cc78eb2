// Whether the coordinator answers. While it is away the page asks for it again and again, and reloads what it shows afterwards.
import { signal } from '@preact/signals';

/** Whether the coordinator is away. */
export const isAway = signal(false);
/** When the next try is made, in milliseconds since 1970. */
export const nextTry = signal(0);
/** Rises whenever the coordinator came back, so that everything which depends on it is asked for anew. */
export const returns = signal(0);

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10_000;
/** The page stops asking by itself when nobody has touched it for so long, so that an unattended session can end. */
const UNATTENDED_MS = 15 * 60_000;

let pause = FIRST_PAUSE_MS;
let timer: ReturnType<typeof setTimeout> | undefined;
let touched = Date.now();

export const isAttended = (): boolean => Date.now() - touched < UNATTENDED_MS && document.visibilityState === 'visible';

export function watchConnection(): void {
  for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart']) {
    addEventListener(event, () => (touched = Date.now()), { passive: true });
  }
  addEventListener('online', () => isAway.value && void tryNow());
  document.addEventListener('visibilitychange', () => isAway.value && void tryNow());
}

export function noteAnswer(): void {
  if (!isAway.value) return;
  clearTimeout(timer);
  timer = undefined;
  pause = FIRST_PAUSE_MS;
  isAway.value = false;
  returns.value++;
}

export function noteSilence(): void {
  isAway.value = true;
  if (timer === undefined) plan();
}

function plan(): void {
  nextTry.value = Date.now() + pause;
  timer = setTimeout(tryNow, pause);
  pause = Math.min(pause * 1.6, LONGEST_PAUSE_MS);
}

export async function tryNow(): Promise<void> {
  clearTimeout(timer);
  try {
    const { ok } = await fetch('/readyz', { cache: 'no-store' });
    if (ok) return noteAnswer();
  } catch {
    // Still away: the next try is planned below.
  }
  if (isAway.value) plan();
}
