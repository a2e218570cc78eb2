// [coordinator] Metrics of what an operator must act on: not ready, a changed audit log, refusals by their code.
import type { FastifyInstance } from 'fastify';
import { Counter, Gauge, type Registry } from 'prom-client';
import { errorCode } from '../../errors.ts';
import type { AuditSeal } from '../audit/audit-seal.ts';

export interface TrustMetrics {
  seal: AuditSeal;
  /** Says why the coordinator is not ready; undefined if it is. */
  trouble: () => Promise<string | undefined>;
}

export function addTrustMetrics(app: FastifyInstance, registry: Registry, { seal, trouble }: TrustMetrics): void {
  const registers = [registry];
  new Gauge({
    name: 'f3_ready',
    help: '1 if the coordinator can do its work, as /readyz says',
    registers,
    async collect() {
      this.set(
        await trouble().then(
          (reason) => (reason === undefined ? 1 : 0),
          () => 0,
        ),
      );
    },
  });
  new Gauge({
    name: 'f3_audit_changed_logs',
    help: 'Audit logs whose entries do not lead to their hash: somebody changed them in the database',
    registers,
    collect() {
      this.set(seal.broken);
    },
  });
  const refusals = new Counter({
    name: 'f3_refusals_total',
    help: 'Requests refused, by the code of the error',
    labelNames: ['code'] as const,
    registers,
  });
  app.addHook('onError', async (_, __, error) => {
    refusals.inc({ code: errorCode(error) ?? error.code ?? 'other' });
  });
}
