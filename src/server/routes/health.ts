// [coordinator] Reports health, readiness and metrics to load balancers, orchestrators and Prometheus.
import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { F3Error } from '../../errors.ts';
import { listFederations } from '../../storage/federations.ts';
import type { Db } from '../../storage/schema.ts';
import type { TypedApp } from '../app.ts';
import type { DiskWatch } from '../disk-watch.ts';
import { addQuotaMetrics } from '../http/quota-metrics.ts';
import { SparingAnswer } from '../http/sparing-answer.ts';
import { addTrustMetrics } from '../http/trust-metrics.ts';
import type { ServerContext } from '../server-context.ts';
import type { TokenLedger } from '../tokens/token-ledger.ts';

const PUBLIC = { config: { allow: 'public' } } as const;
/** Health checks are not rate-limited: a busy address, such as a proxy's, must not make the server look dead from there. */
const WATCHED = { config: { allow: 'public', rateLimit: false } } as const;
/** A database that takes longer counts as unavailable. Whoever checks has a time limit of its own. */
const ANSWER_MS = 3000;

export function addHealth(app: TypedApp, { store: { db }, ledger, quotas, seal, disk }: ServerContext): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addQuotaMetrics(registry, db, quotas);
  // Both are not rate-limited, and strangers may ask.
  const found = new SparingAnswer(() => Promise.race([troubleOf(db, ledger, disk), rejectWhenOverdue()]));
  const written = new SparingAnswer(() => registry.metrics());
  const trouble = () => found.get();
  addTrustMetrics(app, registry, { seal, trouble });
  const labelNames = ['method', 'route', 'status'] as const;
  const requests = new Counter({
    name: 'f3_requests_total',
    help: 'Requests answered',
    labelNames,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'f3_request_seconds',
    help: 'Time to answer',
    labelNames,
    registers: [registry],
  });
  app.addHook('onResponse', async (request, reply) => {
    const labels = { method: request.method, route: request.routeOptions.url ?? 'unknown', status: reply.statusCode };
    requests.inc(labels);
    seconds.observe(labels, reply.elapsedTime / 1000);
  });

  app.get('/healthz', WATCHED, async () => ({ status: 'ok' }));
  app.get('/v2/health/live', WATCHED, async () => ({ live: true }));
  for (const path of ['/readyz', '/v2/health/ready']) {
    app.get(path, WATCHED, async () => {
      const reason = await trouble().catch((cause) => {
        throw new F3Error('F3_NOT_READY', 'coordinator: its database must answer, got an error', { cause });
      });
      if (reason === undefined) return { ready: true };
      throw new F3Error('F3_NOT_READY', `coordinator: ${reason}`);
    });
  }
  app.get('/metrics', WATCHED, async (_, reply) => reply.type(registry.contentType).send(await written.get()));
  let described: string | undefined;
  app.get('/openapi.json', PUBLIC, async (_, reply) => {
    // Writing it takes as long as a hundred requests, and it never changes.
    described ??= JSON.stringify(app.swagger());
    return reply.type('application/json; charset=utf-8').send(described);
  });
}

/** What keeps the coordinator from its work, although its database answers. */
async function troubleOf(db: Db, ledger: TokenLedger, disk: DiskWatch): Promise<string | undefined> {
  await listFederations(db);
  return (await disk.trouble()) ?? ledger.clockTrouble();
}

async function rejectWhenOverdue(): Promise<never> {
  await sleep(ANSWER_MS, undefined, { ref: false });
  throw new Error(`no answer within ${ANSWER_MS} ms`);
}
