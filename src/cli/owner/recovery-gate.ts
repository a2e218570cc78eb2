// The gate before `f3 owner push`: nothing leaves that gives away more than the owner's own limit.
import type { Command } from 'commander';
import type { Bundle } from '../../exchange/bundle/bundle.ts';
import { makeHomeFolder, membershipFolder } from '../../exchange/identity/home.ts';
import type { OwnerAudit } from '../../privacy/audit/audit-owner.ts';
import { numberFrom } from '../option-values.ts';
import type { PseudonymousSender } from './pseudonym-options.ts';

export interface RecoveryFlags {
  maxRecovery?: number;
  auditData?: string;
  despiteAudit?: boolean;
  /** Embeddings leave in shares. */
  share?: boolean;
}

export function addRecoveryOptions(command: Command): Command {
  return command
    .option('--max-recovery <share>', 'refuse what gives away more of the readings; remembered', numberFrom(0, 1))
    .option('--audit-data <dir>', 'data set with which a model that has no audit yet is audited here')
    .option('--despite-audit', 'send all the same');
}

/** `noise` is what the bundle will get before it leaves. */
export async function passGate(
  bundle: Bundle,
  flags: RecoveryFlags,
  { membership, home }: PseudonymousSender,
  noise: { clip: number; noise: number } | undefined,
): Promise<void> {
  const folder = membershipFolder(home, membership.federation, membership.url);
  const { keepRecoveryLimit, recoveryLimit, requireRecovery } = await import('../../privacy/audit/recovery-limit.ts');
  const limit = flags.maxRecovery ?? recoveryLimit(folder);
  if (flags.maxRecovery !== undefined) {
    makeHomeFolder(home, folder);
    keepRecoveryLimit(folder, flags.maxRecovery);
  }
  const { findAudit } = await import('../../privacy/audit/kept-audits.ts');
  const known = findAudit(home, bundle, noise);
  if (limit === undefined) {
    if (!known && process.stderr.isTTY)
      process.stderr.write('not audited: f3 owner audit tells what these embeddings give away\n');
    return;
  }
  if (flags.share) {
    // The limit is about whoever gets embeddings, and nobody does: of shares, only more entities than the threshold could make any.
    const why =
      "nobody gets embeddings. Each entity gets one share of every number, random to as many of them as the charter's threshold; the coordinator gets none";
    process.stderr.write(`the limit of ${limit} does not bind here: ${why}\n`);
    return;
  }
  if (flags.despiteAudit) return;
  const audit =
    known ?? (flags.auditData === undefined ? undefined : await auditHere(flags.auditData, bundle, home, noise));
  requireRecovery(bundle.owner, limit, audit);
}

async function auditHere(
  dir: string,
  { owner, model }: Bundle,
  home: string,
  noise: { clip: number; noise: number } | undefined,
): Promise<OwnerAudit | undefined> {
  const { ownerFolders } = await import('./owner-folders.ts');
  const [folder] = ownerFolders(dir, { owner: [owner] });
  const { Engine } = await import('../../core/engine/engine.ts');
  const { auditOwner } = await import('../../privacy/audit/audit-owner.ts');
  const { keepAudit } = await import('../../privacy/audit/kept-audits.ts');
  process.stderr.write(`auditing owner ${owner}\n`);
  const engine = new Engine({ threads: 1 });
  try {
    const audit = await auditOwner(engine, folder, { noise });
    keepAudit(home, audit);
    return audit.model === model ? audit : undefined;
  } finally {
    await engine.dispose();
  }
}
