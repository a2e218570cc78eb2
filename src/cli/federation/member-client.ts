// The options of all commands that talk to a coordinator, and the client that they describe.
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { F3Error } from '../../errors.ts';
import type { ConnectionOptions } from '../../exchange/client/connection.ts';
import type { CoordinatorClient } from '../../exchange/client/coordinator-client.ts';
import type { RequestFailure } from '../../exchange/client/request-failure.ts';
import type { TlsOptions } from '../../exchange/client/tls-fetch.ts';
import { coordinatorOrigin } from '../../exchange/identity/coordinator-origin.ts';
import { chooseMembership, KEY_FILE, type Membership } from '../../exchange/identity/home.ts';
import { type Enrolment, FEDERATION_NAME, FEDERATION_NAME_RULE } from '../../exchange/messages.ts';
import { readTlsFiles, requirePair, type TlsFileOptions } from '../tls-files.ts';
import { inForce, inForceText, type PlaceOptions, type Rank, roleText, tlsOver } from './in-force.ts';

export type MemberOptions = Omit<PlaceOptions, 'federation'>;

export const HOME_FLAG = '--home <dir>';
export const HOME_TEXT = 'folder of keys, memberships and profiles (F3_HOME, else ~/.config/f3)';

/** The option for owners, who are members of few federations. */
export const FEDERATION_FLAG = '--federation <name>';
export const FEDERATION_OPTION_TEXT = 'where we are members of several (F3_FEDERATION)';

/** Help for a federation argument that may be left out. */
export const FEDERATION_TEXT = 'default: F3_FEDERATION, else that of the profile or the membership';

export function addTlsOptions(command: Command): Command {
  return command
    .option('--tls-ca <file>', "who vouches for the coordinator's certificate, PEM (F3_TLS_CA)")
    .option('--tls-cert <file>', 'our certificate, for a coordinator that asks for one, PEM (F3_TLS_CERT)')
    .option('--tls-key <file>', 'its key, PEM (F3_TLS_KEY)');
}

/** Options of commands for members: those that have joined, or the operator whose key `f3 serve` made. */
export function addMemberOptions(command: Command): Command {
  command
    .option('--profile <name>', 'made by f3 login (F3_PROFILE, else the current one)')
    .option(HOME_FLAG, HOME_TEXT)
    .option('--url <url>', "the coordinator's address (F3_URL)")
    .option('--key <file>', 'a key file, instead of a membership of the home folder (F3_KEY)');
  return addTlsOptions(command).addHelpText('afterAll', () => placeHelp(command.opts()));
}

export const addOperatorOptions = addMemberOptions;

const placeHelp = (options: PlaceOptions): string => `
In force here: ${inForceText(options)}.
A flag goes before its variable, a variable before a profile, a profile before the only membership in the home folder.`;

/** The client for the coordinator that is in force, and what is known of the member. */
interface ReachedCoordinator {
  client: CoordinatorClient;
  federation: string | undefined;
  /** The member that the key belongs to, if it is known on this machine; the coordinator always knows. */
  member: Enrolment | undefined;
  /** The key file. */
  key: string;
  home: string;
  /** Address and certificates, to ask with another key. */
  connection: Pick<ConnectionOptions, 'url' | 'tls'>;
}

/**
 * Prefers memberships of operators. Other members may try, too, and the coordinator decides. Without a federation, the
 * command concerns the whole server.
 */
export async function operatorClient(
  federation: string | undefined,
  options: MemberOptions,
): Promise<CoordinatorClient> {
  return (await reach({ ...options, federation }, operatorRank)).client;
}

/** Like `operatorClient`, but the environment or the profile may name the federation. */
export async function operatorPlace(
  named: string | undefined,
  options: MemberOptions,
): Promise<{ client: CoordinatorClient; federation: string }> {
  const { client, federation } = await reach({ ...options, federation: named }, operatorRank);
  if (federation !== undefined) return { client, federation };
  throw new F3Error('F3_OPTION', 'federation: must be named, here, in F3_FEDERATION or in a profile');
}

export const operatorRank: Rank = ({ role, federation }) =>
  (role === 'operator' ? 2 : 1) + (federation === null ? 1 : 0);

/** `rank` says which roles a command is for. */
export async function memberClient(
  options: PlaceOptions & { rank?: Rank },
): Promise<Omit<ReachedCoordinator, 'federation' | 'member'> & { membership: Membership }> {
  const { rank = () => 0, ...place } = options;
  const { client, key, home, connection, member = await client.me() } = await reach(place, rank);
  if (rank(member) < 0) {
    const rule = 'must have a role that does this';
    throw new F3Error('F3_AUTH_FORBIDDEN', `member ${member.owner}: ${rule}, got ${roleText(member)}`);
  }
  return { client, membership: { ...member, url: client.connection.origin }, key, home, connection };
}

async function reach(options: PlaceOptions, rank: Rank): Promise<ReachedCoordinator> {
  const { federation, home, url, key, member, ...tls } = inForce(options, rank);
  if (federation !== undefined && !FEDERATION_NAME.test(federation)) {
    throw new F3Error('F3_OPTION', `federation: ${FEDERATION_NAME_RULE}, got ${JSON.stringify(federation)}`);
  }
  if (key !== undefined) {
    if (url !== undefined) {
      const connection = { url: coordinatorOrigin(url), ...tlsOf(tls) };
      return { client: await keyClient(url, key, tls), federation, member, key, home, connection };
    }
    throw new F3Error('F3_OPTION', '--key: the coordinator must be named with --url, F3_URL or a profile');
  }
  const choice = { ...(federation !== undefined && { federation }), ...(url !== undefined && { url }), rank };
  const { folder, ...membership } = chooseMembership(home, choice);
  const own = resolve(folder, KEY_FILE);
  const certificates = tlsOver(tls, membership.tls);
  const client = await keyClient(membership.url, own, certificates);
  const connection = { url: membership.url, ...tlsOf(certificates) };
  const place = federation ?? membership.federation ?? undefined;
  return { client, federation: place, member: membership, key: own, home, connection };
}

/** A client that signs with the key in a file. */
export async function keyClient(url: string, key: string, tls: TlsFileOptions): Promise<CoordinatorClient> {
  const { loadKeyPair } = await import('../../exchange/identity/key-pair.ts');
  const { CoordinatorClient } = await import('../../exchange/client/coordinator-client.ts');
  const options: ConnectionOptions = { url: coordinatorOrigin(url), keys: await loadKeyPair(key), ...tlsOf(tls) };
  return new CoordinatorClient({ ...options, onRetry: reportRetry });
}

/** Says on stderr that a request is tried again, so that an owner whose network is down knows what happens. */
export const reportRetry: (failure: RequestFailure, milliseconds: number) => void = reportWait;

/** The same of any error. */
export function reportWait({ message }: Error, milliseconds: number): void {
  process.stderr.write(`${message}; trying again in ${(milliseconds / 1000).toFixed(1)} s\n`);
}

/** Absolute paths of the files, for a profile or a membership. */
export function tlsFilesOf({ tlsCa, tlsCert, tlsKey }: TlsFileOptions): Membership['tls'] {
  requirePair({ tlsCert, tlsKey });
  if (tlsCa === undefined && tlsCert === undefined) return undefined;
  return {
    ...(tlsCa !== undefined && { ca: resolve(tlsCa) }),
    ...(tlsCert !== undefined && tlsKey !== undefined && { cert: resolve(tlsCert), key: resolve(tlsKey) }),
  };
}

export function tlsOf(options: TlsFileOptions): { tls?: TlsOptions } {
  const tls = readTlsFiles(options);
  return Object.keys(tls).length > 0 ? { tls } : {};
}
