// `f3 federation quotas`: what a federation has taken of its quotas; the coordinator's operator changes them.
import { Command, InvalidArgumentError } from 'commander';
import { QUOTA_NAMES, QUOTAS, type QuotaName, type QuotaUsage } from '../../exchange/quotas.ts';
import { byteCount } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { shownSize } from '../terminal/shown-size.ts';
import { type TextColumn, tableLines } from '../terminal/table.ts';
import { addOperatorOptions, FEDERATION_TEXT, type MemberOptions, operatorPlace } from './member-client.ts';

type Changes = Partial<Record<QuotaName, number | null>>;

interface Options extends MemberOptions {
  set?: Changes;
  json?: boolean;
}

export function quotasCommand(): Command {
  const command = new Command('quotas')
    .description('what is taken of the coordinator, and how much may be; changes it')
    .argument('[federation]', FEDERATION_TEXT)
    .option('--set <name=most>', 'set a quota of this federation (repeat it for several)', quotaChange);
  return addOperatorOptions(command)
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
Quotas:
${QUOTA_NAMES.map((name) => `  ${name.padEnd(18)} ${QUOTAS[name].says}`).join('\n')}

Only an operator of the whole coordinator may set them; =default puts one back. Bytes may be written as 500MB or 20GB.

Examples:
  f3 federation quotas grid
  f3 federation quotas grid --set memberBytes=5GB --set memberVersions=20
  f3 federation quotas grid --set memberBytes=default`,
    )
    .action(runQuotas);
}

async function runQuotas(named: string | undefined, { set, json, ...options }: Options): Promise<void> {
  const { client, federation } = await operatorPlace(named, options);
  const quotas = set ? await client.setQuotas(federation, set) : await client.quotas(federation);
  printResult({ federation, quotas }, tableLines(quotaColumns, quotas).join('\n'), json);
}

export const quotaColumns: TextColumn<QuotaUsage>[] = [
  { title: 'quota', cell: ({ quota }) => quota },
  { title: 'taken', cell: ({ quota, used }) => amount(quota, used) },
  { title: 'most', cell: ({ quota, most }) => amount(quota, most) },
  { title: 'by', cell: ({ member }) => member },
];

function amount(quota: QuotaName, number: number): string {
  // A newer coordinator may have quotas that are not known here.
  const isBytes = Object.hasOwn(QUOTAS, quota) && 'isBytes' in QUOTAS[quota];
  return isBytes ? shownSize(number) : String(number);
}

/** `memberBytes=5GB` or `memberBytes=default`, added to what was given before. */
export function quotaChange(text: string, before: Changes = {}): Changes {
  const [name, value = '', ...rest] = text.split('=');
  if (!(QUOTA_NAMES as string[]).includes(name) || rest.length > 0) {
    throw new InvalidArgumentError(`It must be name=most, with a name among ${QUOTA_NAMES.join(', ')}.`);
  }
  return { ...before, [name]: value === 'default' ? null : byteCount(value) };
}
