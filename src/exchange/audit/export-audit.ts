// [wire] Reads a coordinator's audit log as the lines of a file that anybody can check without the coordinator.
import type { CoordinatorClient } from '../client/coordinator-client.ts';
import type { AuditEntry } from '../messages.ts';
import { AUDIT_FORMAT, AUDIT_FORMAT_VERSION, type AuditLine, type ChainedEntry } from './audit-file.ts';

const PAGE = 1000;

/** The log of a federation, or the server's own for null, up to a head that is signed for the occasion. */
export async function* exportAudit(client: CoordinatorClient, federation: string | null): AsyncGenerator<AuditLine> {
  const keys = await client.auditKeys();
  const { count } = await client.auditHead(federation);
  yield { format: AUDIT_FORMAT, version: AUDIT_FORMAT_VERSION, federation, keys };
  for (let after = 0; ; ) {
    const heads = await client.auditHeads(federation, { after, limit: PAGE });
    for (const head of heads) if (head.count <= count) yield { head };
    after = heads.at(-1)?.count ?? count;
    if (after >= count) break;
  }
  for (let after = 0, number = 0; number < count; ) {
    const entries = await client.audit(federation, { after, limit: PAGE });
    const last = entries.at(-1);
    if (!last) break; // the check will say what is missing
    for (const entry of entries) if ((entry.number ?? 0) <= count) yield { entry: chained(entry) };
    after = last.id;
    number = last.number ?? 0;
  }
}

/** Leaves out the id, which says where an entry lies in the coordinator's database. */
function chained({ number = 0, hash = '', at = '', actor = '', action = '', details = {}, ...entry }: AuditEntry) {
  const { federation = null, keyId = null, address = null } = entry as Partial<ChainedEntry>;
  return { number, at, federation, actor, action, details, keyId, address, hash };
}
