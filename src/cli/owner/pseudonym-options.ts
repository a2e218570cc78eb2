// The options of commands that send sample ids, and what they send instead of them.
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { F3Error } from '../../errors.ts';
import { coordinatorOrigin } from '../../exchange/identity/coordinator-origin.ts';
import { type Membership, makeHomeFolder, membershipFolder } from '../../exchange/identity/home.ts';
import type { UploadKind } from '../../exchange/messages.ts';
import type { Pseudonyms } from '../../privacy/pseudonyms/pseudonyms.ts';
import { reportRetry } from '../federation/member-client.ts';
import { withProgress } from '../terminal/progress.ts';
import { readAuthority } from '../tls-files.ts';

export interface PseudonymFlags {
  /** An address, or false with --no-pseudonyms. */
  pseudonyms?: string | false;
  pseudonymsCode?: string;
  pseudonymsCa?: string;
}

/** Who sends: what `memberClient` gives. */
export interface PseudonymousSender {
  membership: Membership;
  /** File of its key. */
  key: string;
  home: string;
}

export function addPseudonymOptions(command: Command): Command {
  return command
    .option('--pseudonyms <url>', 'sample ids leave as pseudonyms, made with this key holder; remembered')
    .option('--no-pseudonyms', 'ids leave as they are, also where a key holder is remembered')
    .option('--pseudonyms-code <code>', 'the code that the key holder gave us, the first time')
    .option('--pseudonyms-ca <file>', "who vouches for the key holder's certificate, PEM; remembered with its address");
}

/** Undefined where ids leave as they are. A membership that has used pseudonyms goes on with them. */
export async function openPseudonyms(
  flags: PseudonymFlags,
  sender: PseudonymousSender,
): Promise<Pseudonyms | undefined> {
  if (flags.pseudonyms === false) {
    refuseHolderFlags(flags, 'must not go with --no-pseudonyms, which asks no key holder');
    return undefined;
  }
  const { membership, key, home } = sender;
  const { federation, url } = membership;
  const folder = membershipFolder(home, federation, url);
  const { Pseudonyms, pseudonymChoice } = await import('../../privacy/pseudonyms/pseudonyms.ts');
  const known = pseudonymChoice(folder);
  const where = flags.pseudonyms ?? known?.url;
  if (where === undefined) {
    // Whoever names a code means pseudonyms: ids must not leave as they are because the address was forgotten.
    refuseHolderFlags(flags, 'must go with --pseudonyms, the address of the key holder');
    return undefined;
  }
  const isKnown = coordinatorOrigin(where, 'key holder') === known?.url;
  const caFile = flags.pseudonymsCa !== undefined ? resolve(flags.pseudonymsCa) : isKnown ? known?.ca : undefined;
  const tls = caFile === undefined ? undefined : { ca: readAuthority(caFile, '--pseudonyms-ca') };
  makeHomeFolder(home, folder);
  const { loadKeyPair } = await import('../../exchange/identity/key-pair.ts');
  return Pseudonyms.open({
    url: where,
    folder,
    federation: federation ?? '',
    keys: await loadKeyPair(key),
    code: flags.pseudonymsCode,
    ...(tls && { tls, caFile }),
    onRetry: reportRetry,
  });
}

function refuseHolderFlags({ pseudonymsCode, pseudonymsCa }: PseudonymFlags, rule: string): void {
  for (const [flag, value] of Object.entries({
    '--pseudonyms-code': pseudonymsCode,
    '--pseudonyms-ca': pseudonymsCa,
  })) {
    if (value !== undefined) throw new F3Error('F3_OPTION', `${flag}: ${rule}`);
  }
}

/** The bytes that are sent: as they are, or with pseudonyms for ids and rows in the pseudonyms' order. */
export async function underPseudonyms(
  bytes: Uint8Array,
  kind: UploadKind,
  flags: PseudonymFlags,
  sender: PseudonymousSender,
): Promise<Uint8Array> {
  const pseudonyms = await openPseudonyms(flags, sender);
  if (!pseudonyms) return bytes;
  try {
    const make = await import('../../privacy/pseudonyms/pseudonymise.ts');
    const name = `${kind} of ${sender.membership.owner}`;
    const { publicKey } = pseudonyms;
    const namesOf = (ids: readonly string[]) =>
      withProgress((progress) => pseudonyms.of(ids, (done, total) => progress('making pseudonyms', done, total)));
    if (kind === 'labels') {
      const { decodeLabels, encodeLabels } = await import('../../exchange/labels/labels.ts');
      const set = decodeLabels(bytes, name);
      return encodeLabels(make.pseudonymousLabels(set, { names: await namesOf(set.samples), publicKey }));
    }
    const { decodeBundle, encodeBundle } = await import('../../exchange/bundle/bundle.ts');
    const bundle = decodeBundle(bytes, name);
    return encodeBundle(make.pseudonymousBundle(bundle, { names: await namesOf(bundle.samples), publicKey }));
  } finally {
    await pseudonyms.close();
  }
}
