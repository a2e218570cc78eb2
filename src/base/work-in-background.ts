// Lets the threads that others wait for go first where processors are scarce.
import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** A thread this many steps lower gets a third of what one that serves gets, while both have work. */
const STEPS = 5;

/**
 * Lowers the priority of the thread that calls it. Linux alone counts priorities by thread; where there is none to be found, or
 * changing it is not allowed, the thread works as before.
 */
export function workInBackground(): void {
  if (process.platform !== 'linux') return;
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(thread, Math.min(constants.priority.PRIORITY_LOW, getPriority(thread) + STEPS));
  } catch {
    // Nothing depends on it but how long others wait.
  }
}
