// `f3 login`: remembers a coordinator, a key file and certificates under a name, once the coordinator knows the key.
import { resolve } from 'node:path';
import { Command } from 'commander';
import type { Profile } from '../../exchange/identity/profiles.ts';
import { memberText, overEnvironment, tlsOver } from '../federation/in-force.ts';
import {
  addTlsOptions,
  HOME_FLAG,
  HOME_TEXT,
  keyClient,
  operatorRank,
  tlsFilesOf,
} from '../federation/member-client.ts';
import { printResult } from '../run-command.ts';
import type { TlsFileOptions } from '../tls-files.ts';

interface Options extends TlsFileOptions {
  profile?: string;
  federation?: string;
  key?: string;
  home?: string;
  json?: boolean;
}

export function loginCommand(): Command {
  const command = new Command('login')
    .description('remember a coordinator, a key and certificates, so that no other command has to name them')
    .argument('<url>', "the coordinator's address")
    .option('--key <file>', 'the key file; without it, that of the membership in the home folder (F3_KEY)')
    .option('--federation <name>', 'the federation that is meant where none is named (F3_FEDERATION)')
    .option('--profile <name>', "the profile's name (default: the federation's, else the host's)")
    .option(HOME_FLAG, HOME_TEXT);
  return addTlsOptions(command)
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
The coordinator is asked whose key it is. Addresses and paths of files are kept in profiles.json in the home folder, the key
itself is never copied. The profile counts from now on; --profile, F3_PROFILE and f3 profiles --use choose another.
Who joined with f3 owner join needs no profile, unless it is a member in several places.

Examples:
  f3 login http://127.0.0.1:7700 --key coordinator/operator-key.json
  f3 login https://coordinator.example --federation grid --tls-ca ca.pem`,
    )
    .action(runLogin);
}

async function runLogin(address: string, options: Options): Promise<void> {
  const { chooseMembership, homeFolder, KEY_FILE } = await import('../../exchange/identity/home.ts');
  const { coordinatorOrigin } = await import('../../exchange/identity/coordinator-origin.ts');
  const { defaultProfileName, saveProfile } = await import('../../exchange/identity/profiles.ts');
  const url = coordinatorOrigin(address);
  const home = homeFolder(options.home);
  const { federation, key: given, ...flags } = overEnvironment(options);
  const choice = { url, rank: operatorRank, ...(federation !== undefined && { federation }) };
  const membership = given === undefined ? chooseMembership(home, choice) : undefined;
  const tls = tlsFilesOf(tlsOver(flags, membership?.tls));
  const key = resolve(given ?? resolve(membership?.folder ?? '', KEY_FILE));
  const client = await keyClient(url, key, tlsOver({}, tls));
  const { federation: place, owner, role, keyId } = await client.me();
  if (federation !== undefined) await client.status(federation); // it exists, and the member may look at it
  const profile: Profile = {
    url,
    ...(federation !== undefined && { federation }),
    member: { federation: place, owner, role, keyId },
    key,
    ...(tls && { tls }),
  };
  const name = options.profile ?? defaultProfileName(profile);
  saveProfile(home, name, profile);
  const text = `profile ${name}: ${memberText(profile.member)} at ${url}, key in ${key}\nit is in force from now on`;
  printResult({ profile: name, ...profile }, text, options.json);
}
