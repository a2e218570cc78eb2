// What is done to a coordinator and its machine, in an order that follows from a seed.
import type { RandomStream } from '../../src/core/random.ts';

/**
 * What breaks. `coordinator` and `worker` are kills (kill -9), `database` an immediate stop of PostgreSQL and its recovery, `disk` a
 * disk that is full for a while, `clock` a step of the clock and one back, `line` all connections cut. Entities that hold shares are
 * killed in a federation of their own (chaos-entities.ts).
 */
export type Disturbance = 'coordinator' | 'worker' | 'database' | 'disk' | 'clock' | 'line';

/** How often each is drawn, in relation to the others. */
const WEIGHTS: Record<Disturbance, number> = { coordinator: 4, worker: 2, database: 1, disk: 1, clock: 1, line: 2 };

/** The embedded database has no worker and no server of its own; the disk of a PostgreSQL server is not ours to fill. */
export const possible = (isEmbedded: boolean): Disturbance[] =>
  isEmbedded ? ['coordinator', 'line', 'clock', 'disk'] : ['coordinator', 'worker', 'line', 'database', 'clock'];

/** Each kind comes once before any is drawn, so that a short run has them all. */
export function drawDisturbance(random: RandomStream, kinds: readonly Disturbance[], number: number): Disturbance {
  if (number < kinds.length) return kinds[number];
  const bag = kinds.flatMap((kind) => new Array<Disturbance>(WEIGHTS[kind]).fill(kind));
  return bag[random.integer(bag.length)];
}
