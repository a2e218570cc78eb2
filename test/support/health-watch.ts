// A thread that asks a coordinator for health all the time, and tells how long each answer took. In a thread of its own, what holds up
// the members is not taken for a slow coordinator. Only answers count: a process that is down or starting has none.
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const PAUSE_MS = 100;
const LONGEST_MS = 10_000;

for (;;) {
  const began = performance.now();
  const isAnswered = await fetch(`${workerData}/healthz`, { signal: AbortSignal.timeout(LONGEST_MS) }).then(
    ({ ok }) => ok,
    () => performance.now() - began >= LONGEST_MS,
  );
  if (isAnswered) parentPort?.postMessage(performance.now() - began);
  await sleep(PAUSE_MS);
}
