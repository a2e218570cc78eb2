// The gate before `f3 owner push` and `f3 owner stream`: nothing leaves that gives away more than the owner's own limit.
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Bundle } from '../../exchange/bundle/bundle.ts';
import { makeHomeFolder } from '../../exchange/identity/home.ts';
import type { OwnerAudit } from '../../privacy/audit/audit-owner.ts';
import type { NoiseOptions } from '../../privacy/noise/noise-embeddings.ts';
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
    .option('--audit-data <dir>', 'data set with which a model that has no audit yet is audited here; remembered')
    .option('--despite-audit', 'send all the same');
}

/** What is about to leave, and who knows its audit. */
interface Leaving {
  owner: string;
  /** What names the model that made it. */
  model: string | undefined;
  /** The audit that is kept of it. */
  known: OwnerAudit | undefined;
}

/** `noise` is what the bundle will get before it leaves. */
export async function passGate(
  bundle: Bundle,
  flags: RecoveryFlags,
  sender: PseudonymousSender,
  noise: NoiseOptions | undefined,
): Promise<void> {
  const { findAudit } = await import('../../privacy/audit/kept-audits.ts');
  const { owner, model } = bundle;
  await pass({ owner, model, known: findAudit(sender.home, bundle, noise) }, flags, sender, noise);
}

/** The same for live samples of a model, before the first of them leaves. */
export async function passLiveGate(
  model: string,
  flags: RecoveryFlags,
  sender: PseudonymousSender,
  noise: NoiseOptions | undefined,
): Promise<void> {
  const { findModelAudit } = await import('../../privacy/audit/kept-audits.ts');
  const { owner } = sender.membership;
  await pass({ owner, model, known: findModelAudit(sender.home, { owner, model }, noise) }, flags, sender, noise);
}

async function pass(
  { owner, model, known }: Leaving,
  flags: RecoveryFlags,
  { membership, home }: PseudonymousSender,
  noise: NoiseOptions | undefined,
): Promise<void> {
  const { ownerFolder } = await import('../../privacy/owner-folder.ts');
  const folder = ownerFolder(home, membership);
  const kept = await import('../../privacy/audit/recovery-limit.ts');
  const limit = flags.maxRecovery ?? kept.recoveryLimit(folder);
  if (flags.maxRecovery !== undefined || flags.auditData !== undefined) makeHomeFolder(home, folder);
  if (flags.maxRecovery !== undefined) kept.keepRecoveryLimit(folder, flags.maxRecovery);
  if (flags.auditData !== undefined) kept.keepAuditData(folder, resolve(flags.auditData));
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
  const data = flags.auditData ?? kept.auditData(folder);
  const audit = known ?? (data === undefined ? undefined : await auditHere(data, { owner, model }, home, noise));
  kept.requireRecovery(owner, limit, audit);
}

async function auditHere(
  dir: string,
  { owner, model }: Pick<Leaving, 'owner' | 'model'>,
  home: string,
  noise: NoiseOptions | undefined,
): Promise<OwnerAudit | undefined> {
  const { ownerFolders } = await import('./owner-folders.ts');
  const [folder] = ownerFolders(dir, { owner: [owner] });
  const { Engine } = await import('../../core/engine/engine.ts');
  const { auditOwner } = await import('../../privacy/audit/audit-owner.ts');
  const { keepAudit } = await import('../../privacy/audit/kept-audits.ts');
  process.stderr.write(`auditing owner ${owner} with ${folder}\n`);
  const engine = new Engine({ threads: 1 });
  try {
    const audit = await auditOwner(engine, folder, { noise });
    keepAudit(home, audit);
    if (audit.model === model) return audit;
    process.stderr.write(
      `the model in ${folder} is not the one that made these embeddings: its audit says nothing of them\n`,
    );
    return undefined;
  } finally {
    await engine.dispose();
  }
}
