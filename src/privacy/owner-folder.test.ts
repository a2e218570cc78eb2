import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { paidBundle } from '../../test/support/paid-bundle.ts';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { toyBundle } from '../../test/support/toy-bundles.ts';
import { MEMBERSHIP_FILE, membershipFolder } from '../exchange/identity/home.ts';
import { auditData, keepAuditData, keepRecoveryLimit, recoveryLimit } from './audit/recovery-limit.ts';
import { keepNoiseChoice, noiseChoice } from './noise/noise-choice.ts';
import { costPerSample } from './noise/noise-embeddings.ts';
import { openBudget } from './noise/noisy-bundle.ts';
import { epsilonOf } from './noise/zcdp.ts';
import { ownerFolder } from './owner-folder.ts';

const url = 'http://127.0.0.1:7700';
const member = (federation: string, owner = 'north') => ({ federation, owner, url });
const options = { clip: 2, noise: 4 };
const delta = 1e-5;
const limit = { epsilon: 100, delta };
const bundle = toyBundle(0, { samples: 20 });
const cost = costPerSample(options, bundle.width);

/** A membership as earlier versions left it: with a limit, noise, its key and what was spent in its own folder. */
function formerMembership(home: string, federation: string, owner = 'north'): string {
  const folder = membershipFolder(home, federation, url);
  mkdirSync(folder, { recursive: true });
  const membership = { ...member(federation, owner), role: 'owner', keyId: 'k' };
  writeFileSync(join(folder, MEMBERSHIP_FILE), JSON.stringify(membership));
  keepNoiseChoice(folder, { ...options, ...limit });
  paidBundle(bundle, options, limit, folder);
  return folder;
}

describe("an owner's folder", () => {
  it('is one for all federations of an owner, another for another owner, and not there before it is needed', () => {
    const home = temporaryDirectory();
    expect(ownerFolder(home, member('grid'))).toBe(ownerFolder(home, member('roads')));
    expect(ownerFolder(home, member('grid', 'south'))).not.toBe(ownerFolder(home, member('grid')));
    expect(readdirSync(home)).toEqual([]);
  });

  it('has a name that stays inside the home and differs where only the case or the spelling does', () => {
    const home = temporaryDirectory();
    const names = ['..', '.', 'a/b', 'a\\b', 'Nord', 'nord', 'NORD', 'Zürich', 'x'.repeat(255), 'con', '水'.repeat(80)];
    const folders = names.map((owner) => ownerFolder(home, member('grid', owner)));
    expect(new Set(folders.map((folder) => folder.toLowerCase())).size).toBe(names.length);
    for (const folder of folders) {
      expect(folder.slice(home.length)).toMatch(/^[/\\]owners[/\\][a-z0-9][a-z0-9._-]*$/);
      expect(folder.split(/[/\\]/).pop()?.length).toBeLessThan(128);
    }
  });

  it('takes over what an earlier version kept in the folder of the membership, so nothing is paid for twice', () => {
    const home = temporaryDirectory();
    const former = formerMembership(home, 'grid');
    const folder = ownerFolder(home, member('grid'));
    expect(existsSync(join(former, 'privacy'))).toBe(false);
    expect(noiseChoice(folder)).toEqual({ ...options, ...limit });
    expect(paidBundle(bundle, options, limit, folder).paid).toBe(0);
  });

  it('adds up what two memberships have spent, and takes the stricter of their limits', () => {
    const home = temporaryDirectory();
    const [one, two] = [formerMembership(home, 'grid'), formerMembership(home, 'roads')];
    keepRecoveryLimit(one, 0.5);
    keepRecoveryLimit(two, 0.3);
    keepAuditData(two, '/data');
    keepNoiseChoice(two, { clip: 1, noise: 5, epsilon: 9, delta: 1e-6 });
    const folder = ownerFolder(home, member('roads'));
    expect(openBudget(folder).spent(delta)).toMatchObject({ epsilon: epsilonOf(2 * cost, delta), releases: 2 });
    expect(recoveryLimit(folder)).toBe(0.3);
    expect(auditData(folder)).toBe('/data');
    expect(noiseChoice(folder)).toEqual({ clip: 1, noise: 5, epsilon: 9, delta: 1e-6 });
    expect([one, two].filter((membership) => existsSync(join(membership, 'privacy')))).toEqual([]);
  });

  it('takes nothing from another owner in the same home', () => {
    const home = temporaryDirectory();
    const south = formerMembership(home, 'grid', 'south');
    expect(openBudget(ownerFolder(home, member('roads'))).spent(delta).releases).toBe(0);
    expect(existsSync(join(south, 'privacy'))).toBe(true);
  });
});
