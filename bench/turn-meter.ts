// Loaded before a coordinator (--import): writes down each turn in which its serving thread computed for long. Time of the processor
// counts, so that other programs of the machine do not.
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** Milliseconds from which a turn is written down. */
const LONG_MS = 2;
const file = process.env.F3_TURNS;

/** A timer of a millisecond fires once per turn of a thread that is busy: between two of its calls lies one long turn at most. */
if (file !== undefined && isMainThread) {
  let before = process.threadCpuUsage();
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    const ms = (user + system) / 1000;
    if (ms >= LONG_MS) appendFileSync(file, `${ms}\n`);
    before = process.threadCpuUsage();
  }, 1).unref();
}
