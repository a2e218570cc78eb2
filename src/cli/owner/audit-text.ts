// What `f3 owner audit` prints: the verdict in words, then figures.
import type { OwnerAudit } from '../../privacy/audit/audit-owner.ts';
import { type ClassGuess, FEW_LABELS } from '../../privacy/audit/guess-classes.ts';
import type { WindowRecovery } from '../../privacy/audit/recover-windows.ts';
import type { Recovery } from '../../privacy/audit/rows.ts';
import { type TextColumn, tableLines } from '../terminal/table.ts';

/** Beside the error stands that of guessing the mean, so that no figure flatters. */
const recoveryText = ({ share, error, guess }: Recovery): string =>
  `${share.toFixed(3)} ± ${error.toPrecision(3)} (${guess.toPrecision(3)})`;

export function pairsText({ known, pairs }: Pick<WindowRecovery, 'known' | 'pairs'>): string {
  return `${Number((100 * known).toPrecision(2))} % (${pairs})`;
}

const columns: TextColumn<WindowRecovery>[] = [
  { title: 'attacker', cell: ({ attacker }) => attacker },
  { title: 'pairs known', cell: pairsText },
  { title: "window's mean", cell: ({ mean }) => recoveryText(mean) },
  { title: 'last reading', cell: ({ last }) => recoveryText(last) },
  { title: 'every reading', cell: ({ every }) => recoveryText(every) },
];

const guessColumns: TextColumn<ClassGuess>[] = [
  { title: 'what else they tell', cell: ({ name }) => name },
  { title: 'classes', cell: ({ classes }) => classes },
  ...FEW_LABELS.map((few, i) => ({
    title: `${few} known per class`,
    cell: ({ fewLabels }: ClassGuess) => fewLabels[i]?.accuracy.toFixed(3),
  })),
  { title: 'by clustering', cell: ({ clustering }) => clustering.toFixed(3) },
  { title: 'always the commonest', cell: ({ commonest }) => commonest.toFixed(3) },
];

/** A figure of an audit that is no recovery, beside what it is without embeddings. */
export interface AuditFigure {
  what: string;
  found: number;
  without: string;
}

const figureColumns: TextColumn<AuditFigure>[] = [
  { title: 'also measured', cell: ({ what }) => what },
  { title: 'found', cell: ({ found }) => found.toFixed(3) },
  { title: 'without embeddings', cell: ({ without }) => without },
];

/** Membership, imitation, distance correlation and bounds. */
export function otherFigures({
  membership,
  imitation,
  distanceCorrelation,
  bound,
  answers,
}: OwnerAudit): AuditFigure[] {
  return [
    ...(membership ? [{ what: 'trained on or not: AUC', found: membership.auc, without: '0.500' }] : []),
    { what: "imitating the model: share of the embeddings' variance", found: imitation, without: '0.000' },
    { what: 'distance correlation of readings and embeddings', found: distanceCorrelation, without: '0.000' },
    ...(bound
      ? [
          {
            what: 'most that anybody can recover (linear): share of variance',
            found: bound.recoverable,
            without: '0.000',
          },
        ]
      : []),
    ...(answers
      ? [
          {
            what: "most that anybody can recover of a window's mean, over all samples",
            found: answers.mean,
            without: '0.000',
          },
          {
            what: 'most that anybody can recover of every reading, over all samples',
            found: answers.every,
            without: '0.000',
          },
        ]
      : []),
  ];
}

export function auditText(audit: OwnerAudit, [level, ...sentences]: string[]): string {
  const { owner, width, windowNumbers, samples, heldOut } = audit;
  const facts =
    `owner ${owner}: ${width} numbers for windows of ${windowNumbers}, ${samples} samples, judged on ${heldOut} of them` +
    `${audit.noise ? `, noise ${audit.noise.noise} × clip ${audit.noise.clip}` : ''}`;
  const notes =
    'share of variance recovered ± typical error in the unit of the readings (the error of guessing the mean)';
  const others = tableLines(figureColumns, otherFigures(audit));
  const guesses = audit.classes.length > 0 ? ['', ...tableLines(guessColumns, audit.classes)] : [];
  return [
    facts,
    level,
    ...sentences,
    '',
    ...tableLines(columns, audit.recoveries),
    notes,
    ...guesses,
    '',
    ...others,
  ].join('\n');
}
