// What the paper's tables claim, as differences and ratios that can be computed from the figures on record.
import type { Measured } from '../../figures/result.ts';
import { DATASETS, type DatasetName } from '../experiment.ts';
import { readExpected } from '../experiment-files.ts';
import { DASH, formatDifference } from '../report/report-cells.ts';
import { recordedRatios, recordedScore, type ScoreTableName } from './recorded-figures.ts';

/** F1 of one row over another row of the same table. */
interface Comparison {
  claim: string;
  table: ScoreTableName;
  row: string;
  over: string;
}

const COMPARISONS: readonly Comparison[] = [
  { claim: 'F³ (K) is better than the best owner (D)', table: 'table-2', row: 'K', over: 'D' },
  { claim: 'F³ (K) is better than mean pooling (E)', table: 'table-2', row: 'K', over: 'E' },
  { claim: 'Alignment helps: K over H', table: 'table-2', row: 'K', over: 'H' },
  { claim: 'One message is enough: K is level with end-to-end learning (L)', table: 'table-2', row: 'K', over: 'L' },
  {
    claim: 'With alignment, a learned graph is better than none',
    table: 'table-3',
    row: 'soft/icdf',
    over: 'soft/none',
  },
  { claim: '… better than a κ-NN graph', table: 'table-3', row: 'soft/icdf', over: 'soft/knn' },
  { claim: '… better than the given graph', table: 'table-3', row: 'soft/icdf', over: 'soft/given' },
  { claim: 'Soft alignment is level with hard', table: 'table-5', row: 'soft', over: 'hard' },
];

/** The data set whose figures of the paper stand beside the claims. */
const PAPERS_OWN: DatasetName = 'metr-la';

/** Rows of a table: the claim, the paper's difference on METR-LA, then ours on each data set. */
export function claimRows(): string[][] {
  const compared = COMPARISONS.map(({ claim, table, row, over }) => [
    claim,
    paperDifference(table, row, over),
    ...DATASETS.map((dataset) =>
      differenceText(recordedScore(table, dataset, row, 'f1'), recordedScore(table, dataset, over, 'f1')),
    ),
  ]);
  const ratios = ['ICDF saves time: Gumbel softmax takes longer', 'ICDF saves memory: Gumbel softmax takes more'].map(
    (claim, i) => [
      claim,
      ratioText(recordedRatios(PAPERS_OWN)[i]?.measured.paper),
      ...DATASETS.map((dataset) => ratioText(recordedRatios(dataset)[i]?.measured.mean)),
    ],
  );
  return [...compared, ...ratios];
}

function paperDifference(table: ScoreTableName, row: string, over: string): string {
  const scores = readExpected(table).paper[PAPERS_OWN] ?? {};
  const [first, second] = [scores[row], scores[over]].map(
    (score): Measured | undefined => score && { mean: score.f1, deviation: score.f1Deviation },
  );
  return differenceText(first, second);
}

/** Digits after the point. */
const DIGITS = 3;

/** Compares on the digits that tables show. A difference of at most the two standard deviations added is level. */
export function differenceText(first: Measured | undefined, second: Measured | undefined): string {
  if (!first || !second) return DASH;
  const shown = (value: number) => Math.round(value * 10 ** DIGITS);
  const difference = shown(first.mean) - shown(second.mean);
  const text = formatDifference(difference / 10 ** DIGITS, DIGITS);
  if (first.deviation === undefined && second.deviation === undefined) return text;
  const spread = shown(first.deviation ?? 0) + shown(second.deviation ?? 0);
  const verdict = Math.abs(difference) <= spread ? 'level' : difference > 0 ? 'better' : 'worse';
  return `${text} ${verdict}`;
}

const ratioText = (ratio: number | undefined): string => (ratio === undefined ? DASH : `× ${ratio.toFixed(2)}`);
