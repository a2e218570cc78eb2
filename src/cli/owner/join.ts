// `f3 owner join`: makes this machine's key and enrols it with a coordinator, by a one-time code.
import { Command } from 'commander';
import { F3Error } from '../../errors.ts';
import type { Membership } from '../../exchange/identity/home.ts';
import type { Role } from '../../exchange/messages.ts';
import { type InForce, inForce, overEnvironment, roleText } from '../federation/in-force.ts';
import { addTlsOptions, HOME_FLAG, HOME_TEXT, reportRetry, tlsFilesOf, tlsOf } from '../federation/member-client.ts';
import { isPlainText } from '../plain-text.ts';
import { printResult } from '../run-command.ts';
import type { TlsFileOptions } from '../tls-files.ts';

interface Options extends TlsFileOptions {
  code: string;
  home?: string;
  json?: boolean;
}

export function joinCommand(): Command {
  const command = new Command('join')
    .description('join a federation: make a key here, enrol its public half with the code')
    .argument('<url>', "the coordinator's address")
    .requiredOption('--code <code>', 'the one-time code that the operator gave you; -: on stdin')
    .option(HOME_FLAG, HOME_TEXT);
  return addTlsOptions(command)
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
The private key stays in the home folder and is never sent. Keep it: whoever has it is you, and without it you need a new
code. If the answer is lost on the way, the same command goes on with the same key.

Examples:
  f3 owner join https://coordinator.example --code 7Qm2xK0dRz
  f3 owner join https://10.0.0.7:8443 --code 7Qm2xK0dRz --tls-ca ca.pem
  f3 owner invite grid plant-7 --json | f3 owner join http://127.0.0.1:7700 --code - --home plant-7`,
    )
    .action(runJoin);
}

async function runJoin(url: string, options: Options): Promise<void> {
  const { homeFolder } = await import('../../exchange/identity/home.ts');
  const { joinFederation } = await import('../../exchange/client/join-federation.ts');
  const tls = overEnvironment(options);
  const tlsFiles = tlsFilesOf(tls);
  const { home, json } = options;
  warnOfPlainText(url);
  const code = options.code === '-' ? await readCode() : options.code;
  const joined = await joinFederation({
    url,
    code,
    home: homeFolder(home),
    onRetry: reportRetry,
    ...tlsOf(tls),
    ...(tlsFiles && { tlsFiles }),
  });
  const { federation, owner, role, keyId, folder } = joined;
  noteOtherProfile(homeFolder(home), joined);
  const where = federation === null ? `coordinator ${joined.url}` : `federation ${federation} at ${joined.url}`;
  const as = role === 'owner' ? `owner ${owner}` : `${owner} (${role})`;
  const text = `joined ${where} as ${as}\nkey ${keyId} in ${folder}`;
  printResult({ url: joined.url, federation, owner, role, keyId, folder }, text, json);
}

/** Whoever has logged in elsewhere goes on acting as that member: it should know. */
function noteOtherProfile(home: string, { url, federation, role, keyId }: Membership): void {
  const { profile, member } = currentPlace(home, role);
  if (profile === undefined || member?.keyId === keyId) return;
  const login = `f3 login ${url}${federation === null ? '' : ` --federation ${federation}`}`;
  process.stderr.write(`profile ${profile} stays in force for ${roleText({ role })}s; ${login} changes that\n`);
}

/** Profiles that cannot be read are no reason to fail after having joined. */
function currentPlace(home: string, role: Role): Partial<InForce> {
  try {
    return inForce({ home }, (other) => (other.role === role ? 0 : -1), {});
  } catch {
    return {};
  }
}

/** Reads the code, or the output of `f3 owner invite --json`, from stdin, so that no list of processes shows it. */
async function readCode(): Promise<string> {
  const { text } = await import('node:stream/consumers');
  const given = (await text(process.stdin)).trim();
  const code = given.startsWith('{') ? codeOf(given) : given;
  if (typeof code === 'string' && /^\S+$/.test(code)) return code;
  throw new F3Error(
    'F3_OPTION',
    '--code -: stdin must hold the code, or the JSON of f3 owner invite, got something else',
  );
}

function codeOf(json: string): unknown {
  try {
    return (JSON.parse(json) as { code?: unknown }).code;
  } catch {
    return undefined;
  }
}

function warnOfPlainText(url: string): void {
  if (!isPlainText(url)) return;
  process.stderr.write(`warning: ${url} is not encrypted; whoever is on the way can read what you send\n`);
}
