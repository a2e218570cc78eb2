// [owner] What an owner keeps about its own protection: limits, noise with its key, and what was spent. One folder per owner in a home, and not
// one per membership: readings that leave for two federations, or again after a membership was forgotten, leave twice.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lockDirectory } from '../base/directory-lock.ts';
import { sha256 } from '../base/sha256.ts';
import { unwritable } from '../base/unwritable.ts';
import { listMemberships, type Membership, makeHomeFolder, membershipFolder } from '../exchange/identity/home.ts';
import { auditData, keepAuditData, keepRecoveryLimit, recoveryLimit } from './audit/recovery-limit.ts';
import { keepNoiseChoice, noiseChoice } from './noise/noise-choice.ts';
import { openBudget } from './noise/noisy-bundle.ts';

const PRIVACY = 'privacy';
/** Milliseconds to wait for another process that takes over. */
const PATIENCE = 60_000;

/** The folder of the member's owner in its home; it is there when something was kept. What earlier versions of f3 kept in folders of memberships is taken over. */
export function ownerFolder(home: string, member: Pick<Membership, 'owner' | 'federation' | 'url'>): string {
  const { owner, federation, url } = member;
  const folder = join(home, 'owners', folderName(owner));
  const own = listMemberships(home).filter((one) => one.owner === owner && one.role === 'owner');
  const former = new Set([...own.map((one) => one.folder), membershipFolder(home, federation, url)]);
  for (const membership of former) {
    if (!existsSync(join(membership, PRIVACY))) continue;
    makeHomeFolder(home, folder);
    takeOver(membership, folder);
  }
  return folder;
}

/** A name that no file system changes or refuses. */
export function folderName(owner: string): string {
  return /^[a-z0-9][a-z0-9._-]{0,99}$/.test(owner) ? owner : `sha256-${sha256(owner).slice(0, 32)}`;
}

/** Adds what a membership kept to what the owner has: all that was spent, and of limits and noise the stricter. */
function takeOver(membership: string, folder: string): void {
  const lock = lockDirectory(folder, { thing: 'folder', code: 'F3_HOME', patience: PATIENCE });
  try {
    const [from, to] = [join(membership, PRIVACY), join(folder, PRIVACY)];
    if (!existsSync(from)) return;
    if (!existsSync(to)) {
      renameSync(from, to);
      return;
    }
    // Should this break off, it is added again: then too much counts as spent, never too little.
    openBudget(folder).add(openBudget(membership));
    addChoices(membership, folder);
    rmSync(from, { recursive: true });
  } catch (cause) {
    throw unwritable(`folder ${folder}`, cause, 'F3_HOME');
  } finally {
    lock.release();
  }
}

function addChoices(membership: string, folder: string): void {
  const limits = [recoveryLimit(membership), recoveryLimit(folder)].filter((limit) => limit !== undefined);
  if (limits.length > 0) keepRecoveryLimit(folder, Math.min(...limits));
  const data = auditData(membership);
  if (data !== undefined && auditData(folder) === undefined) keepAuditData(folder, data);
  const choices = [noiseChoice(folder), noiseChoice(membership)].filter((choice) => choice !== undefined);
  if (choices.length === 0) return;
  const [strong] = choices.sort((a, b) => b.noise - a.noise);
  const [epsilon, delta] = (['epsilon', 'delta'] as const).map((name) => Math.min(...choices.map((one) => one[name])));
  keepNoiseChoice(folder, { ...strong, epsilon, delta });
}
