// `f3 owner bundles`: lists the versions that the coordinator holds and what needs them, or deletes one.
import { Command } from 'commander';
import { F3Error } from '../../errors.ts';
import { privacyWords } from '../../exchange/bundle/applied-privacy.ts';
import type { HeldBundle } from '../../exchange/messages.ts';
import {
  addMemberOptions,
  FEDERATION_FLAG,
  FEDERATION_OPTION_TEXT,
  type MemberOptions,
  memberClient,
  operatorPlace,
} from '../federation/member-client.ts';
import { shortId } from '../federation/training-id.ts';
import { integerFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { shownSize } from '../terminal/shown-size.ts';
import { shownTime } from '../terminal/shown-time.ts';
import { type TextColumn, tableLines } from '../terminal/table.ts';

interface Options extends MemberOptions {
  delete?: number;
  despiteModels?: boolean;
  owner?: string;
  federation?: string;
  json?: boolean;
}

/** Columns for the bundles of one owner, so there is none for its name. */
export const bundleColumns: TextColumn<HeldBundle>[] = [
  { title: 'version', cell: ({ version }) => version },
  { title: 'sent (UTC)', cell: ({ created }) => shownTime(created) },
  { title: 'samples', cell: ({ samples }) => samples },
  { title: 'width', cell: ({ width }) => width },
  { title: 'protected by', cell: ({ privacy }) => privacy && privacyWords(privacy) },
  { title: 'size', cell: ({ size }) => shownSize(size) },
  { title: 'counts', cell: ({ counts }) => (counts ? 'yes' : undefined) },
  { title: 'learned from by model', cell: ({ models }) => models.join(', ') },
  { title: 'needed by training', cell: ({ trainings }) => trainings.map(shortId).join(', ') },
];

export function bundlesCommand(): Command {
  const command = new Command('bundles')
    .description('which versions of the bundle the coordinator holds, and what needs them; delete old ones')
    .option('--delete <version>', 'delete this version, bytes and all', integerFrom(1))
    .option('--despite-models', 'with --delete: also if models learned from it, which can then no longer be refitted')
    .option('--owner <id>', "[operator] this owner's, instead of our own")
    .option(FEDERATION_FLAG, FEDERATION_OPTION_TEXT);
  return addMemberOptions(command)
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
The version that counts cannot be deleted, nor one that a training under way needs; f3 owner leave --delete-bundles takes all.
Models that learned from a version go on predicting without it. Backups of the coordinator may still hold what was deleted.

Examples:
  f3 owner bundles
  f3 owner bundles --delete 1
  f3 owner bundles --owner plant-7 --federation grid        # as an operator`,
    )
    .action(runBundles);
}

async function runBundles({ owner: named, ...options }: Options): Promise<void> {
  const { delete: version, despiteModels = false, json } = options;
  if (despiteModels && version === undefined) throw new F3Error('F3_OPTION', '--despite-models: is for --delete only');
  const { client, federation, owner } = named === undefined ? await own(options) : await asOperator(named, options);
  if (version === undefined) {
    const bundles = await client.bundles(federation, owner);
    const none = `the coordinator holds no bundle of ${owner} in federation ${federation}`;
    return printResult({ bundles }, bundles.length > 0 ? tableLines(bundleColumns, bundles).join('\n') : none, json);
  }
  const deleted = await client.deleteBundle(federation, owner, version, { despiteModels });
  const models = Array.isArray(deleted.models) && deleted.models.length > 0 ? deleted.models.join(', ') : undefined;
  const left =
    models === undefined ? '' : `\nmodel ${models} learned from it, predicts as before and cannot be refitted`;
  printResult(deleted, `version ${version} of ${owner} in federation ${federation} is deleted${left}`, json);
}

async function own(options: Options) {
  const rank = ({ role }: { role: string }) => (role === 'owner' ? 0 : -1);
  const { client, membership } = await memberClient({ ...options, rank });
  return { client, federation: membership.federation as string, owner: membership.owner };
}

async function asOperator(owner: string, { federation, ...options }: Options) {
  return { ...(await operatorPlace(federation, options)), owner };
}
