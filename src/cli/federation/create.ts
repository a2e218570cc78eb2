// `f3 federation create`: creates a federation on a running coordinator.
import { Command } from 'commander';
import { F3Error } from '../../errors.ts';
import type { FederationShares } from '../../exchange/messages.ts';
import { commaList, integerFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { indented, tableLines } from '../terminal/table.ts';
import { entityColumns } from './entities-section.ts';
import { addOperatorOptions, type MemberOptions, operatorClient } from './member-client.ts';

interface Options extends MemberOptions {
  classes?: string[];
  entities?: string[];
  threshold?: number;
  json?: boolean;
}

export function createCommand(): Command {
  const command = new Command('create')
    .description('make a federation that owners can be invited to')
    .argument('<name>', 'a to z, 0 to 9 and -')
    .option('--classes <names>', 'all classes in their order, separated by commas (default: as labelled)', commaList)
    .option(
      '--entities <urls>',
      'who holds the embeddings in shares: tls://host:port#key-id, separated by commas',
      commaList,
    )
    .option(
      '--threshold <t>',
      'so many entities together learn nothing (default: 1 of 3, 2 of 5, …)',
      integerFrom(1, 6),
    );
  return addOperatorOptions(command)
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
Examples:
  f3 federation create grid --classes calm,storm
  f3 federation create grid --entities tls://e1.example:7720#…,tls://e2.example:7720#…,tls://e3.example:7720#… --threshold 1
  f3 federation create grid --url https://coordinator.example --key data/operator-key.json    # without f3 login`,
    )
    .action(async (name: string, options: Options) => {
      const { classes, entities, threshold, json } = options;
      if (!entities && threshold !== undefined) {
        throw new F3Error('F3_OPTION', '--threshold: is for --entities only');
      }
      const client = await operatorClient(name, options);
      const created = await client.createFederation(name, classes, entities && { entities, threshold });
      const place = `federation ${name} at ${client.connection.origin}`;
      const text = entities
        ? sharesText(place, created as unknown as FederationShares)
        : `${place}; next: f3 owner invite ${name} <owner>`;
      printResult({ name, ...created }, text, json);
    });
}

function sharesText(place: string, { fingerprint, entities = [] }: FederationShares): string {
  return [
    `${place}, on shares`,
    `charter ${fingerprint}`,
    ...indented(tableLines(entityColumns, entities)),
    'Give the fingerprint to the operator of every entity and to every owner, over another channel than this coordinator.',
    `next, at each entity: f3 entity admit ${fingerprint}`,
  ].join('\n');
}
