// [owner] The owner's own limit on what its embeddings may give away, and whether an audit keeps to it.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../base/make-folder.ts';
import { writeWholeFile } from '../../base/whole-file.ts';
import { F3Error } from '../../errors.ts';
import type { OwnerAudit } from './audit-owner.ts';

const LIMIT_FILE = join('privacy', 'max-recovery.json');

/** The largest share of the readings' variance that may be recovered; undefined where the owner has set no limit. */
export function recoveryLimit(folder: string): number | undefined {
  const file = join(folder, LIMIT_FILE);
  if (!existsSync(file)) return undefined;
  const value: unknown = parsed(readFileSync(file, 'utf8'));
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  throw new F3Error('F3_HOME', `${file}: must be a number from 0 to 1, got something else`);
}

export function keepRecoveryLimit(folder: string, limit: number): void {
  const file = join(folder, LIMIT_FILE);
  makeFolder(dirname(file), 'F3_HOME');
  writeWholeFile(file, `${limit}\n`, file, 'F3_HOME');
}

const DATA_FILE = join('privacy', 'audit-data.json');

/** The data set with which models of this owner are audited; undefined where none was named. */
export function auditData(folder: string): string | undefined {
  const file = join(folder, DATA_FILE);
  if (!existsSync(file)) return undefined;
  const value: unknown = parsed(readFileSync(file, 'utf8'));
  if (typeof value === 'string' && value !== '') return value;
  throw new F3Error('F3_HOME', `${file}: must be the path of a data set, got something else`);
}

export function keepAuditData(folder: string, dir: string): void {
  const file = join(folder, DATA_FILE);
  makeFolder(dirname(file), 'F3_HOME');
  writeWholeFile(file, `${JSON.stringify(dir)}\n`, file, 'F3_HOME');
}

/** Throws if the audit found more than the limit, or if there is none that measured anything. */
export function requireRecovery(owner: string, limit: number, audit: OwnerAudit | undefined): void {
  const rule = `embeddings may give away ${limit} of the readings' variance`;
  if (!audit || !wasMeasured(audit)) {
    const found = audit
      ? 'an audit of readings that are all the same, which measured nothing'
      : 'a model that was not audited';
    const message = `owner ${owner}: ${rule}, got ${found} (f3 owner audit does)`;
    throw new F3Error('F3_LEAK_LIMIT', message, { remedy: 'audit' });
  }
  if (audit.worst <= limit) return;
  throw new F3Error('F3_LEAK_LIMIT', `owner ${owner}: ${rule}, got ${audit.worst.toFixed(3)} by its audit`, {
    remedy: 'despiteAudit',
  });
}

/** False where the readings of all samples are the same: what could be recovered of others, such an audit cannot tell. */
export const wasMeasured = ({ recoveries }: Pick<OwnerAudit, 'recoveries'>): boolean =>
  recoveries.some(({ mean, every }) => mean.guess > 0 || every.guess > 0);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
