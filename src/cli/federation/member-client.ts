// Options that every command with a coordinator at the other end has, and the client that they name.
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { F3Error } from '../../errors.ts';
import type { ConnectionOptions } from '../../exchange/client/connection.ts';
import type { CoordinatorClient } from '../../exchange/client/coordinator-client.ts';
import type { RequestFailure } from '../../exchange/client/request-failure.ts';
import type { TlsOptions } from '../../exchange/client/tls-fetch.ts';
import type { Membership, MembershipChoice } from '../../exchange/identity/home.ts';
import { readTlsFiles, requirePair, type TlsFileOptions } from '../tls-files.ts';

export interface MemberOptions extends TlsFileOptions {
  home?: string;
  url?: string;
  key?: string;
}

export const HOME_FLAG = '--home <dir>';
export const HOME_TEXT = 'folder of keys and memberships (default: F3_HOME, else ~/.config/f3)';

export function addTlsOptions(command: Command): Command {
  return command
    .option('--tls-ca <file>', "who vouches for the coordinator's certificate (PEM)")
    .option('--tls-cert <file>', 'our certificate, for a coordinator that asks for one (PEM)')
    .option('--tls-key <file>', 'its key (PEM)');
}

/** For a command of a member that has joined. */
export function addMemberOptions(command: Command): Command {
  return addTlsOptions(
    command
      .option(HOME_FLAG, HOME_TEXT)
      .option('--url <url>', "the coordinator's, where the home folder knows several"),
  );
}

/** For an operator, whose key may also lie where `f3 serve` left it. */
export function addOperatorOptions(command: Command): Command {
  return addMemberOptions(command).option('--key <file>', "the operator's key, together with --url; instead of --home");
}

/**
 * Operators first; whoever else is a member of the federation may try, the coordinator decides. Without a federation: for
 * what concerns the whole server.
 */
export async function operatorClient(
  federation: string | undefined,
  options: MemberOptions,
): Promise<CoordinatorClient> {
  const { FEDERATION_NAME, FEDERATION_NAME_RULE } = await import('../../exchange/messages.ts');
  if (federation !== undefined && !FEDERATION_NAME.test(federation)) {
    throw new F3Error('F3_OPTION', `federation: ${FEDERATION_NAME_RULE}, got ${JSON.stringify(federation)}`);
  }
  if (options.key === undefined) {
    const rank = (one: Membership) => (one.role === 'operator' ? 2 : 1) + (one.federation === null ? 1 : 0);
    return (await memberClient({ ...options, ...(federation !== undefined && { federation }), rank })).client;
  }
  if (options.url === undefined) throw new F3Error('F3_OPTION', '--key: the coordinator must be named with --url');
  const { loadKeyPair } = await import('../../exchange/identity/key-pair.ts');
  return makeClient({ url: options.url, keys: await loadKeyPair(options.key), ...tlsOf(options) });
}

export async function memberClient(
  options: MemberOptions & Pick<MembershipChoice, 'federation' | 'rank'>,
): Promise<{ client: CoordinatorClient; membership: Membership }> {
  const { chooseMembership, homeFolder, KEY_FILE } = await import('../../exchange/identity/home.ts');
  const { loadKeyPair } = await import('../../exchange/identity/key-pair.ts');
  const { folder, ...membership } = chooseMembership(homeFolder(options.home), options);
  const keys = await loadKeyPair(resolve(folder, KEY_FILE));
  const { ca: tlsCa, cert: tlsCert, key: tlsKey } = membership.tls ?? {};
  const remembered = { ...(tlsCa && { tlsCa }), ...(tlsCert && { tlsCert }), ...(tlsKey && { tlsKey }) };
  const client = await makeClient({ url: membership.url, keys, ...tlsOf({ ...remembered, ...options }) });
  return { client, membership };
}

async function makeClient(options: ConnectionOptions): Promise<CoordinatorClient> {
  const { CoordinatorClient } = await import('../../exchange/client/coordinator-client.ts');
  return new CoordinatorClient({ ...options, onRetry: tellRetry });
}

/** For stderr: an owner whose line is down should know that we have noticed. */
export function tellRetry({ message }: RequestFailure, milliseconds: number): void {
  process.stderr.write(`${message}; trying again in ${(milliseconds / 1000).toFixed(1)} s\n`);
}

/** The files' absolute paths, to be remembered. */
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
