// Decides which coordinator a command talks to, and as which member. A flag goes before an environment variable, a variable
// before a profile, and a profile before the only membership in the home folder.
import { F3Error } from '../../errors.ts';
import { coordinatorOrigin } from '../../exchange/identity/coordinator-origin.ts';
import { homeFolder, listMemberships, type Membership } from '../../exchange/identity/home.ts';
import { type Profile, readProfiles, requireProfile } from '../../exchange/identity/profiles.ts';
import type { Enrolment } from '../../exchange/messages.ts';
import type { TlsFileOptions } from '../tls-files.ts';

export interface PlaceOptions extends TlsFileOptions {
  profile?: string;
  home?: string;
  url?: string;
  key?: string;
  federation?: string | undefined;
}

export interface InForce extends TlsFileOptions {
  home: string;
  url?: string;
  federation?: string;
  /** The key file. Without it, the key is that of a membership in the home folder. */
  key?: string;
  /** The member that the key belongs to, if a profile says so. */
  member?: Enrolment;
  profile?: string;
}

/** How well a member's role fits a command. Below 0 it does not fit. */
export type Rank = (member: Pick<Membership, 'role' | 'federation'>) => number;

type Environment = Record<string, string | undefined>;

/** Environment variables by the option that they stand for. */
export const VARIABLES = {
  url: 'F3_URL',
  key: 'F3_KEY',
  federation: 'F3_FEDERATION',
  tlsCa: 'F3_TLS_CA',
  tlsCert: 'F3_TLS_CERT',
  tlsKey: 'F3_TLS_KEY',
} as const;

/** A profile that a flag names goes before the environment. The current profile is ignored if it does not fit. */
export function inForce(options: PlaceOptions, rank: Rank = () => 0, env: Environment = process.env): InForce {
  const home = homeFolder(options.home);
  const given = options.profile === undefined ? overEnvironment(options, env) : options;
  const named = options.profile ?? (env.F3_PROFILE || undefined);
  const chosen = named === undefined ? currentProfile(home) : { name: named, ...requireProfile(home, named) };
  const misfit = chosen && misfitOf(chosen, given, rank);
  if (chosen && misfit && named !== undefined) throw new F3Error('F3_PROFILE', `profile ${named}: ${misfit}`);
  const profile = misfit ? undefined : chosen;
  const url = given.url ?? profile?.url;
  const federation = given.federation ?? profile?.federation ?? profile?.member.federation ?? undefined;
  const key = given.key ?? profile?.key;
  return {
    home,
    ...(url !== undefined && { url }),
    ...(federation !== undefined && { federation }),
    ...(key !== undefined && { key }),
    ...(profile && given.key === undefined && { member: profile.member }),
    ...(profile && { profile: profile.name }),
    ...tlsOver(given, profile?.tls),
  };
}

/** Takes certificates from `second` if `first` names none. A certificate and its key always come from the same place. */
export function tlsOver(first: TlsFileOptions, second: Membership['tls']): TlsFileOptions {
  const isPair = first.tlsCert !== undefined || first.tlsKey !== undefined;
  const ca = first.tlsCa ?? second?.ca;
  const [cert, key] = isPair ? [first.tlsCert, first.tlsKey] : [second?.cert, second?.key];
  return {
    ...(ca !== undefined && { tlsCa: ca }),
    ...(cert !== undefined && { tlsCert: cert }),
    ...(key !== undefined && { tlsKey: key }),
  };
}

/** An empty variable counts as none. */
export function overEnvironment(options: PlaceOptions, env: Environment = process.env): PlaceOptions {
  const variable = (name: keyof typeof VARIABLES) => env[VARIABLES[name]] || undefined;
  const { profile: _, ...flags } = options;
  const tls = { ca: variable('tlsCa'), cert: variable('tlsCert'), key: variable('tlsKey') };
  const known = Object.fromEntries(Object.entries(tls).filter(([, file]) => file !== undefined));
  const [url, key, federation] = [
    options.url ?? variable('url'),
    options.key ?? variable('key'),
    options.federation ?? variable('federation'),
  ];
  return {
    ...flags,
    ...(url !== undefined && { url }),
    ...(key !== undefined && { key }),
    ...(federation !== undefined && { federation }),
    ...tlsOver(options, known),
  };
}

interface NamedProfile extends Profile {
  name: string;
}

function currentProfile(home: string): NamedProfile | undefined {
  const { current, named } = readProfiles(home);
  return current === null ? undefined : { name: current, ...named[current] };
}

/** Says why a profile does not fit a command; undefined if it does. */
function misfitOf({ url, member }: NamedProfile, given: PlaceOptions, rank: Rank): string | undefined {
  if (given.url !== undefined && coordinatorOrigin(given.url) !== url) return `is for ${url}, got ${given.url}`;
  const { federation } = given;
  if (federation !== undefined && member.federation !== null && member.federation !== federation) {
    return `is of federation ${member.federation}, got ${federation}`;
  }
  return rank(member) < 0 ? `must have another role for this, got ${roleText(member)}` : undefined;
}

export const roleText = ({ role }: Pick<Enrolment, 'role'>): string => (role === 'labels' ? 'label holder' : role);

/** For example `ops (operator) of grid`. */
export const memberText = (member: Enrolment): string =>
  `${member.owner} (${roleText(member)})${member.federation === null ? '' : ` of ${member.federation}`}`;

/** Says in a command's help which coordinator and member would be used now. It never throws. */
export function inForceText(options: PlaceOptions, env: Environment = process.env): string {
  try {
    const { home, url, federation, key, member, profile } = inForce(options, undefined, env);
    const place = `${url ?? 'no address'}${federation === undefined ? '' : `, federation ${federation}`}`;
    if (profile !== undefined && member) return `profile ${profile}: ${memberText(member)} at ${place}`;
    if (key !== undefined) return `key ${key} at ${place}`;
    const memberships = listMemberships(home)
      .filter((one) => url === undefined || one.url === coordinatorOrigin(url))
      .filter((one) => federation === undefined || one.federation === null || one.federation === federation);
    if (memberships.length === 1) return `the only membership: ${memberText(memberships[0])} at ${memberships[0].url}`;
    if (memberships.length > 1) return `nothing yet, ${memberships.length} memberships fit: f3 login chooses one`;
    return 'nothing yet: f3 login or f3 owner join';
  } catch (error) {
    return `nothing: ${(error as Error).message}`;
  }
}
