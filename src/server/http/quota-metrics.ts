// [coordinator] How near federations are to their quotas, and how many trainings wait and run, for Prometheus. It names nobody,
// because /metrics needs no token.
import { setTimeout } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import { QUOTA_NAMES, type Quotas } from '../../exchange/quotas.ts';
import { federationsInUse, quotasOf, quotaUsage } from '../../storage/quotas.ts';
import type { Db } from '../../storage/schema.ts';
import { countUnfinished } from '../../storage/trainings.ts';

/** Counting costs queries per federation, so that whoever asks more often gets what was counted last. */
const KEPT_MS = 15_000;
/** A count that takes longer than its share of the time, of a thousand federations in use, is made less often. */
const TIMES_LONGER = 15;
/** A scrape does not wait longer for a count: it gets the last one, and the next scrape the new one. */
const WAIT_MS = 5000;

export function addQuotaMetrics(register: Registry, db: Db, standard: Quotas): void {
  let counting: Promise<void> | undefined;
  let countAgainAt = 0;
  /** Both gauges wait for the same count. */
  const collect = (): Promise<void> => {
    if (performance.now() >= countAgainAt) counting ??= countOnce().finally(() => (counting = undefined));
    return Promise.race([counting, setTimeout(WAIT_MS, undefined, { ref: false })]);
  };
  const countOnce = async () => {
    const start = performance.now();
    // A database that is away is told of by /readyz; the other metrics are worth having then.
    await count(db, standard, ratio, trainings).catch(() => undefined);
    countAgainAt = start + Math.max(KEPT_MS, TIMES_LONGER * (performance.now() - start));
  };
  const ratio = new Gauge({
    name: 'f3_quota_ratio',
    help: 'Share of a quota that is taken, by the member or federation that has taken the largest share',
    labelNames: ['quota'],
    registers: [register],
    collect,
  });
  const trainings = new Gauge({
    name: 'f3_trainings',
    help: 'Trainings that wait or run',
    labelNames: ['state'],
    registers: [register],
    collect,
  });
}

async function count(db: Db, standard: Quotas, ratio: Gauge<'quota'>, trainings: Gauge<'state'>): Promise<void> {
  const shares = new Map(QUOTA_NAMES.map((name) => [name, 0]));
  for (const name of await federationsInUse(db)) {
    for (const { quota, used, most } of await quotaUsage(db, name, await quotasOf(db, name, standard))) {
      shares.set(quota, Math.max(shares.get(quota) ?? 0, used / Math.max(1, most)));
    }
  }
  for (const [quota, share] of shares) ratio.set({ quota }, share);
  const { queued, running } = await countUnfinished(db);
  trainings.set({ state: 'queued' }, queued);
  trainings.set({ state: 'running' }, running);
}
