// Starts many pieces of work without holding up everything else: after some of them, others have their turn.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Gives the results in the order of the items. Fails with the first failure, and starts nothing more after it. */
export async function inSlices<Item, Result>(
  items: Iterable<Item>,
  size: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const started: Promise<Result>[] = [];
  for (const item of items) {
    const result = work(item);
    // Whoever waits hears of a failure below; until then nobody does, and that must not end the process.
    result.catch(() => undefined);
    started.push(result);
    if (started.length % size === 0) await nextTurn();
  }
  return Promise.all(started);
}
