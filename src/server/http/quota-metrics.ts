// [coordinator] How near federations are to their quotas, and how many trainings wait and run, for Prometheus. It names nobody,
// because /metrics needs no token.
import { Gauge, type Registry } from 'prom-client';
import { QUOTA_NAMES, type Quotas } from '../../exchange/quotas.ts';
import { listFederations } from '../../storage/federations.ts';
import { quotasOf, quotaUsage } from '../../storage/quotas.ts';
import type { Db } from '../../storage/schema.ts';
import { countUnfinished } from '../../storage/trainings.ts';

/** Counting costs queries per federation, so that whoever asks more often gets what was counted last. */
const KEPT_MS = 15_000;

export function addQuotaMetrics(register: Registry, db: Db, standard: Quotas): void {
  let counted: { at: number; done: Promise<void> } | undefined;
  /** Both gauges wait for the same count. */
  const collect = (): Promise<void> => {
    const now = performance.now();
    // A database that is away is told of by /readyz; the other metrics are worth having then.
    if (!counted || now - counted.at >= KEPT_MS) {
      counted = { at: now, done: count(db, standard, ratio, trainings).catch(() => undefined) };
    }
    return counted.done;
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
  for (const { name } of await listFederations(db)) {
    for (const { quota, used, most } of await quotaUsage(db, name, await quotasOf(db, name, standard))) {
      shares.set(quota, Math.max(shares.get(quota) ?? 0, used / Math.max(1, most)));
    }
  }
  for (const [quota, share] of shares) ratio.set({ quota }, share);
  const { queued, running } = await countUnfinished(db);
  trainings.set({ state: 'queued' }, queued);
  trainings.set({ state: 'running' }, running);
}
