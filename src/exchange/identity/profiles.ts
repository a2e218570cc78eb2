// [owner] Named profiles of a home folder. Each says which coordinator is meant, as whom, with which key file and certificates.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWholeFile } from '../../base/whole-file.ts';
import { F3Error } from '../../errors.ts';
import { type Enrolment, FEDERATION_NAME } from '../messages.ts';
import { isMembership, type Membership, makeHomeFolder } from './home.ts';

/** A coordinator that an operator logged in to. */
export interface Profile {
  /** The coordinator's address. */
  url: string;
  /** The federation that is meant where none is named. */
  federation?: string;
  /** The member to whom the key belongs, as the coordinator said. */
  member: Enrolment;
  /** Absolute path of the key file. The key itself is never copied. */
  key: string;
  /** Absolute paths of certificates and their key. */
  tls?: Membership['tls'];
}

/** All profiles of a home folder. */
export interface Profiles {
  /** The profile that counts where none is named. */
  current: string | null;
  /** The profiles by name. */
  named: Record<string, Profile>;
}

const FILE = 'profiles.json';
export const PROFILE_NAME = /^[a-z0-9][a-z0-9._-]{0,59}$/i;
export const PROFILE_NAME_RULE = 'must be 1 to 60 letters, digits, dots, - and _, beginning with a letter or a digit';

/** A name for a profile that was given none: the federation's, else the host's. */
export function defaultProfileName({ url, federation, member }: Profile): string {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/[^\w.-]/g, '');
  return federation ?? member.federation ?? (port === '' ? host : `${host}-${port}`);
}

/** The profiles of a home folder; none where nobody has logged in. */
export function readProfiles(home: string): Profiles {
  const file = join(home, FILE);
  if (!existsSync(file)) return { current: null, named: {} };
  const { current, named } = parse(readFileSync(file, 'utf8'));
  const areSound =
    typeof named === 'object' &&
    named !== null &&
    Object.entries(named).every(([name, profile]) => PROFILE_NAME.test(name) && isProfile(profile));
  if (areSound && (current === null || (current !== undefined && Object.hasOwn(named, current)))) {
    return { current, named };
  }
  throw new F3Error('F3_PROFILE', `${file}: must be what f3 login wrote, got something else`);
}

/** The profile of that name, which must exist. */
export function requireProfile(home: string, name: string): Profile {
  const { named } = readProfiles(home);
  if (Object.hasOwn(named, name)) return named[name];
  const known = Object.keys(named).join(', ') || 'none';
  throw new F3Error('F3_PROFILE', `profile ${name}: must exist in home ${home}, which has ${known}`);
}

/** The profile counts from now on. One of that name for another coordinator is not replaced. */
export function saveProfile(home: string, name: string, profile: Profile): void {
  if (!PROFILE_NAME.test(name)) {
    throw new F3Error('F3_PROFILE', `profile: name ${PROFILE_NAME_RULE}, got ${JSON.stringify(name)}`);
  }
  const { named } = readProfiles(home);
  const before = Object.hasOwn(named, name) ? named[name] : undefined;
  if (before && before.url !== profile.url) {
    throw new F3Error('F3_PROFILE', `profile ${name}: name must be free, got one that stands for ${before.url}`);
  }
  write(home, { current: name, named: { ...named, [name]: profile } });
}

/** Makes a profile the one that counts where none is named. */
export function useProfile(home: string, name: string): Profile {
  const profile = requireProfile(home, name);
  write(home, { ...readProfiles(home), current: name });
  return profile;
}

/** Removes the profile only; its key and its certificates stay where they are. */
export function removeProfile(home: string, name: string): Profile {
  const profile = requireProfile(home, name);
  const { current, named } = readProfiles(home);
  const { [name]: _, ...rest } = named;
  write(home, { current: current === name ? null : current, named: rest });
  return profile;
}

/** Notes in every profile of that key file which key it holds now. */
export function refreshProfiles(home: string, key: string, keyId: string): void {
  const { current, named } = readProfiles(home);
  const refreshed = Object.entries(named).map(([name, profile]) => [
    name,
    profile.key === key ? { ...profile, member: { ...profile.member, keyId } } : profile,
  ]);
  if (Object.values(named).some((profile) => profile.key === key)) {
    write(home, { current, named: Object.fromEntries(refreshed) });
  }
}

function write(home: string, profiles: Profiles): void {
  makeHomeFolder(home);
  writeWholeFile(join(home, FILE), `${JSON.stringify(profiles, null, 2)}\n`, `home ${home}`, 'F3_HOME');
}

function isProfile(profile: Partial<Profile> | null): boolean {
  const { url, federation, member, key, tls = {} } = profile ?? {};
  const isNamed = federation === undefined || (typeof federation === 'string' && FEDERATION_NAME.test(federation));
  const areFiles = typeof key === 'string' && Object.values(tls).every((file) => typeof file === 'string');
  return isNamed && areFiles && typeof url === 'string' && isMembership({ ...member, url });
}

function parse(text: string): Partial<Profiles> {
  try {
    return (JSON.parse(text) ?? {}) as Partial<Profiles>;
  } catch {
    return {};
  }
}
