// [owner] The home folder: one folder per membership with its key, <federation>@<host>/key.json and membership.json. What an owner keeps for
// all of them lies in owners/ (src/privacy/owner-folder.ts).
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '../../base/make-folder.ts';
import { F3Error } from '../../errors.ts';
import { type Enrolment, FEDERATION_NAME } from '../messages.ts';
import { coordinatorOrigin } from './coordinator-origin.ts';

/** What an enrolment gave, and where. */
export interface Membership extends Enrolment {
  /** The coordinator's address. */
  url: string;
  /** Files with the certificates that the coordinator needs. */
  tls?: { ca?: string; cert?: string; key?: string };
}

/** A membership with the folder that keeps it. */
export interface StoredMembership extends Membership {
  /** The folder, which also holds the key. */
  folder: string;
}

export const KEY_FILE = 'key.json';
export const MEMBERSHIP_FILE = 'membership.json';

/** The home folder is `given`, else F3_HOME, else ~/.config/f3. */
export function homeFolder(given?: string): string {
  return given ?? process.env.F3_HOME ?? join(homedir(), '.config', 'f3');
}

/** No federation can be named `_operator`, because names have no underscore. */
export function membershipFolder(home: string, federation: string | null, url: string): string {
  return join(home, `${federation ?? '_operator'}@${new URL(url).host.replace(/[^\w.-]/g, '_')}`);
}

/** Makes `folder`, which is the home folder or one inside it; only its owner may enter. */
export function makeHomeFolder(home: string, folder = home): void {
  makeFolder(folder, 'F3_HOME', `home ${home}`);
}

/** The memberships that a home folder holds. */
export function listMemberships(home: string): StoredMembership[] {
  if (!existsSync(home)) return [];
  return readdirSync(home)
    .filter((name) => !name.startsWith('.') && existsSync(join(home, name, MEMBERSHIP_FILE)))
    .sort()
    .map((name) => readMembership(join(home, name)));
}

/** Which membership is meant. */
export interface MembershipChoice {
  /** The only federation of interest. */
  federation?: string;
  /** The only coordinator of interest. */
  url?: string;
  /** Where several memberships fit, those of the highest rank are taken; one below 0 never is. */
  rank?: (membership: Membership) => number;
}

/** The only membership that fits. Where there are several, the user has to say which. */
export function chooseMembership(
  home: string,
  { federation, url, rank = () => 0 }: MembershipChoice,
): StoredMembership {
  const origin = url === undefined ? undefined : coordinatorOrigin(url);
  const fitting = listMemberships(home)
    .filter((one) => federation === undefined || one.federation === federation || one.federation === null)
    .filter((one) => (origin === undefined || one.url === origin) && rank(one) >= 0);
  const best = Math.max(...fitting.map(rank));
  const chosen = fitting.filter((one) => rank(one) === best);
  if (chosen.length === 1) return chosen[0];
  const wanted = `a membership${federation ? ` of federation ${federation}` : ''}${origin ? ` at ${origin}` : ''}`;
  if (chosen.length === 0) {
    throw new F3Error(
      'F3_HOME',
      `home ${home}: must hold ${wanted}, got none that fits (f3 owner join makes one; operators use f3 login)`,
    );
  }
  const found = chosen.map((one) => `${one.federation ?? 'operator'} at ${one.url}`).join(', ');
  const message = `home ${home}: the federation and the coordinator must leave one membership, got ${found}`;
  throw new F3Error('F3_HOME', message, { remedy: 'federation' });
}

function readMembership(folder: string): StoredMembership {
  const file = join(folder, MEMBERSHIP_FILE);
  const membership = parse(readFileSync(file, 'utf8'));
  if (membership && isMembership(membership)) return { ...membership, folder };
  throw new F3Error('F3_HOME', `${file}: must be what f3 owner join wrote, got something else`);
}

/** Also checks what a coordinator says, because the federation's name becomes that of a folder. */
export function isMembership(one: Partial<Membership>): one is Membership {
  const areTexts = [one.url, one.owner, one.role, one.keyId].every((value) => typeof value === 'string');
  if (!areTexts || !URL.canParse(String(one.url))) return false;
  return one.federation === null || (typeof one.federation === 'string' && FEDERATION_NAME.test(one.federation));
}

function parse(text: string): Partial<Membership> | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
