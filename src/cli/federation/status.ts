// `f3 federation status`: shows who has joined and sent what, open invitations and trainings.
import { Command } from 'commander';
import { privacyWords } from '../../exchange/bundle/applied-privacy.ts';
import { coordinatesText } from '../../exchange/coordinates.ts';
import type { FederationStatus, ListedOwner, ListedTraining } from '../../exchange/messages.ts';
import { printResult } from '../run-command.ts';
import { shownTime } from '../terminal/shown-time.ts';
import { factLines, indented, type TextColumn, tableLines } from '../terminal/table.ts';
import { invitationColumns } from './invitations.ts';
import { addOperatorOptions, FEDERATION_TEXT, type MemberOptions, operatorPlace } from './member-client.ts';
import { shortId } from './training-id.ts';

interface Options extends MemberOptions {
  verbose?: boolean;
  json?: boolean;
}

export function statusCommand(): Command {
  const command = new Command('status')
    .description('who has joined, what they sent, what was trained')
    .argument('[federation]', FEDERATION_TEXT);
  return addOperatorOptions(command)
    .option('--verbose', 'show hashes, and ids as a whole')
    .option('--json', 'print one line of JSON')
    .action(async (named: string | undefined, options: Options) => {
      const { client, federation } = await operatorPlace(named, options);
      const status = await client.status(federation);
      printResult(status, statusText(status, options.verbose), options.json);
    });
}

function statusText(status: FederationStatus, verbose = false): string {
  const { name, classes, activeModel, counts, owners, labelHolders, invitations = [], trainings = [] } = status;
  const sent = owners.filter(({ bundle }) => bundle).length;
  const facts = factLines([
    ['classes', classes?.join(', ')],
    ['active model', activeModel ?? 'none'],
    ['owners', `${counts?.owners ?? owners.length}, ${counts?.bundles ?? sent} with a bundle`],
    ['labels', counts && (counts.labels ? `version ${counts.labels}` : 'none')],
    ['label holder', labelHolders && holdersText(labelHolders)],
  ]);
  return [
    `federation ${name}`,
    ...indented(facts),
    ...section(owners, ownerColumns(verbose, owners)),
    ...section(invitations, invitationColumns),
    ...section(trainings, trainingColumns(verbose)),
  ].join('\n');
}

const section = <Row>(rows: readonly Row[], columns: TextColumn<Row>[]): string[] =>
  rows.length > 0 ? ['', ...tableLines(columns, rows)] : [];

function holdersText(holders: NonNullable<FederationStatus['labelHolders']>): string {
  if (holders.length === 0) return 'nobody has joined';
  return holders.map(({ owner, labels }) => (labels ? `${owner}, sent version ${labels.version}` : owner)).join('; ');
}

const PLACE: TextColumn<ListedOwner> = {
  title: 'place',
  cell: ({ coordinates }) => coordinates && coordinatesText(coordinates),
};

/** With `owners`, the column of places is there if one of them has told where it is. */
export const ownerColumns = (verbose: boolean, owners: readonly ListedOwner[] = []): TextColumn<ListedOwner>[] => [
  { title: 'owner', cell: ({ owner }) => owner },
  { title: 'bundle', cell: ({ bundle }) => bundle?.version },
  { title: 'samples', cell: ({ bundle }) => bundle?.samples },
  { title: 'width', cell: ({ bundle }) => bundle?.width },
  { title: 'protected by', cell: ({ privacy }) => privacy && privacyWords(privacy) },
  ...(owners.some(({ coordinates }) => coordinates) ? [PLACE] : []),
  { title: 'received (UTC)', cell: ({ bundle }) => shownTime(bundle?.received) },
  ...(verbose ? [{ title: 'sha256', cell: ({ bundle }: ListedOwner) => bundle?.sha256 }] : []),
];

export const trainingColumns = (verbose: boolean): TextColumn<ListedTraining>[] => [
  { title: 'training', cell: ({ id }) => (verbose ? id : shortId(id)) },
  { title: 'state', cell: ({ state }) => state },
  { title: 'model', cell: ({ model }) => model },
  { title: 'worker', cell: ({ place, worker }) => (place ? `waits at place ${place}` : worker) },
  { title: 'asked for (UTC)', cell: ({ created }) => shownTime(created) },
  ...(verbose ? [{ title: 'error', cell: ({ error }: ListedTraining) => error?.message }] : []),
];
