// `f3 token create`: creates a static token that may predict in one federation, and shows its secret once.
import { Command, InvalidArgumentError, Option } from 'commander';
import { addOperatorOptions, type MemberOptions, operatorClient } from '../federation/member-client.ts';
import { isPlainText } from '../plain-text.ts';
import { printResult } from '../run-command.ts';

interface Options extends MemberOptions {
  name: string;
  /** Days until the token expires; null if it never does. */
  expires: number | null;
  json?: boolean;
}

const DAYS = 90;
const MOST_DAYS = 3650;

export function tokenCreateCommand(): Command {
  const command = new Command('create')
    .description('make a token with which a program may predict, and nothing else')
    .argument('<federation>')
    .requiredOption('--name <name>', 'what it is for; names it in lists, logs and the audit log')
    .addOption(
      new Option('--expires <duration>', '90d, 12h, 2w, or never').argParser(parseDuration).default(DAYS, `${DAYS}d`),
    );
  return addOperatorOptions(command)
    .option('--json', 'print one line of JSON: {id, name, token, expires}')
    .addHelpText(
      'after',
      `
The token is shown this once; the coordinator keeps its hash alone. Any client of the Open Inference Protocol sends it as
the header Authorization: Bearer TOKEN. Unlike a member's requests it is neither signed nor good once: whoever has it may ask
the model until it expires or is revoked. Give each program its own, and send it over TLS.

Examples:
  f3 token create grid --name dashboard
  f3 token create grid --name night-batch --expires 12h`,
    )
    .action(runCreate);
}

async function runCreate(federation: string, { name, expires: days, json, ...options }: Options): Promise<void> {
  const client = await operatorClient(federation, options);
  const issued = await client.createToken(federation, { name, days });
  const { origin } = client.connection;
  if (isPlainText(origin)) {
    process.stderr.write(`warning: ${origin} is not encrypted; whoever is on the way can copy the token and use it\n`);
  }
  const text = [
    issued.token,
    `shown this once; ${issued.expires === null ? 'it never expires' : `good until ${issued.expires}`}`,
    `GET ${origin}/v2/models/${federation} and POST …/infer, with the header Authorization: Bearer TOKEN`,
  ];
  printResult({ federation, ...issued }, text.join('\n'), json);
}

const UNITS: Record<string, number> = { h: 1 / 24, d: 1, w: 7 };

/** Returns days, or null for `never`. */
function parseDuration(text: string): number | null {
  if (text === 'never') return null;
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([hdw])$/.exec(text) ?? [];
  const days = Number(amount) * (UNITS[unit] ?? Number.NaN);
  if (days > 0 && days <= MOST_DAYS) return days;
  throw new InvalidArgumentError(`It must be a number of h, d or w up to ${MOST_DAYS}d, as 90d, or never.`);
}
