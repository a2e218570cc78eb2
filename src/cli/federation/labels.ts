// `f3 federation labels`: what the label holder allows others to do with its labels, and how often it was done.
import { Command, Option } from 'commander';
import { F3Error } from '../../errors.ts';
import type { CoordinatorClient } from '../../exchange/client/coordinator-client.ts';
import type { LabelAccess, LabelRules, ListedGrant } from '../../exchange/label-access.ts';
import { integerFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { shownTime } from '../terminal/shown-time.ts';
import { factLines, indented, type TextColumn, tableLines } from '../terminal/table.ts';
import { addMemberOptions, FEDERATION_TEXT, type MemberOptions, operatorPlace } from './member-client.ts';

interface Options extends MemberOptions {
  grant?: string;
  trainings?: number;
  anySplit?: boolean;
  exactScores?: boolean;
  revoke?: string;
  open?: LabelRules['open'];
  budget?: number;
  smallestPart?: number;
  smallestClass?: number;
  json?: boolean;
}

/** How often a member with a grant may train, unless the grant says otherwise. */
const GRANTED_TRAININGS = 100;

export function labelsCommand(): Command {
  const command = new Command('labels')
    .description('who may train on the labels, how often and on which parts; the label holder changes it')
    .argument('[federation]', FEDERATION_TEXT)
    .option('--grant <member>', 'allow a member trainings of its own')
    .option('--trainings <n>', `how many, for --grant (default: ${GRANTED_TRAININGS})`, integerFrom(0))
    .option('--any-split', 'in any split, and not only as the first training was split, for --grant')
    .option('--exact-scores', 'with scores and losses to the last digit, for --grant')
    .option('--revoke <member>', 'take a grant back')
    .addOption(
      new Option('--open <to>', 'who may train without a grant: all who may train, or nobody').choices([
        'trainers',
        'granted',
      ]),
    )
    .option('--budget <n>', 'how often they may, all together, on one version of the labels', integerFrom(0))
    .option('--smallest-part <n>', 'fewest samples of a part, and by which parts must differ', integerFrom(1))
    .option('--smallest-class <n>', 'fewest samples of a part beside its most frequent class', integerFrom(0));
  return addMemberOptions(command)
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
Each training tells something about the labels that it was scored on. Only the member who sent the labels can change what is
allowed. Where a part is too small or differs from another by a few samples, its scores are withheld from everybody else.

Examples:
  f3 federation labels grid
  f3 federation labels grid --open granted
  f3 federation labels grid --grant ops --trainings 20 --any-split
  f3 federation labels grid --revoke ops`,
    )
    .action(runLabels);
}

async function runLabels(named: string | undefined, options: Options): Promise<void> {
  checkOptions(options);
  const { client, federation } = await operatorPlace(named, options);
  const access = await changed(client, federation, options);
  printResult({ federation, ...access }, accessText(federation, access), options.json);
}

function checkOptions({ grant, revoke, trainings, anySplit, exactScores }: Options): void {
  const lone = trainings !== undefined ? '--trainings' : anySplit ? '--any-split' : exactScores && '--exact-scores';
  if (lone && grant === undefined) throw new F3Error('F3_OPTION', `${lone}: is for --grant only`);
  if (grant !== undefined && revoke !== undefined)
    throw new F3Error('F3_OPTION', '--grant: stands alone, got --revoke');
}

async function changed(client: CoordinatorClient, federation: string, options: Options): Promise<LabelAccess> {
  const { grant, revoke, open, budget, smallestPart, smallestClass } = options;
  const rules = {
    ...(open && { open }),
    ...(budget !== undefined && { trainings: budget }),
    ...(smallestPart !== undefined && { smallestPart }),
    ...(smallestClass !== undefined && { smallestClass }),
  };
  if (Object.keys(rules).length > 0) await client.setLabelRules(federation, rules);
  if (grant !== undefined) {
    const { trainings = GRANTED_TRAININGS, anySplit = false, exactScores = false } = options;
    await client.grantLabels(federation, grant, { trainings, anySplit, exactScores });
  }
  if (revoke !== undefined) await client.revokeLabels(federation, revoke);
  return client.labelAccess(federation);
}

const grantColumns: TextColumn<ListedGrant>[] = [
  { title: 'member', cell: ({ member }) => member },
  { title: 'trainings', cell: ({ used, trainings }) => `${used} of ${trainings}` },
  { title: 'split', cell: ({ anySplit }) => (anySplit ? 'any' : 'the first') },
  { title: 'scores', cell: ({ exactScores }) => (exactScores ? 'exact' : 'rounded') },
  { title: 'granted (UTC)', cell: ({ granted }) => shownTime(granted) },
];

function accessText(federation: string, { holder, labels, rules, used, split, grants }: LabelAccess): string {
  const first = split && (split.seed === undefined ? `SHA-256 ${split.sha256?.slice(0, 12)}` : `seed ${split.seed}`);
  const others = rules.open === 'granted' ? 'nobody' : `${used} of ${rules.trainings} trainings, all together`;
  const facts = factLines([
    ['labels', labels === null ? 'none that count' : `version ${labels}`],
    ['label holder', holder ?? 'nobody has joined'],
    ['split', first ?? 'as the first training will'],
    ['without a grant', others],
    ['smallest part', `${rules.smallestPart} samples, ${rules.smallestClass} beside its most frequent class`],
  ]);
  const table = grants.length > 0 ? ['', 'grants', ...indented(tableLines(grantColumns, grants))] : [];
  return [`labels of federation ${federation}`, ...indented(facts), ...table].join('\n');
}
