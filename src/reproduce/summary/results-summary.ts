// docs/results/README.md: what was reproduced, where we agree with the paper and where not, and what we advise beyond it.
// Every number comes from experiments/*/expected.json; nothing is typed by hand.
import type { Cell, ResultTable } from '../../figures/result.ts';
import { DATASETS, type DatasetName } from '../experiment.ts';
import { readConfig, readExpected } from '../experiment-files.ts';
import { pooledSummary } from '../pooled-figures.ts';
import { alignedTable, plain, resultTable } from '../report/markdown.ts';
import { agreementText, DASH, formatNumber, VERDICT_RULE } from '../report/report-cells.ts';
import { RESULTS_PAGES, type ResultsPageName } from '../report/results-page.ts';
import { claimRows } from './paper-claims.ts';
import {
  comparableFigures,
  type RecordedFigure,
  recordedFigure,
  recordedScore,
  rowLabel,
  type SummarisedConfig,
} from './recorded-figures.ts';

export const SUMMARY_MARK = '# Results: the paper, reproduced';

export function renderSummary(): string {
  const figures = comparableFigures();
  const blocks = [
    SUMMARY_MARK,
    introduction(figures),
    pagesTable(figures),
    '## What the paper claims, and what came out',
    claims(),
    ...DATASETS.flatMap(datasetBlocks),
    '<a id="differences"></a>\n\n## Where we disagree with the paper, and why',
    ...disagreements(figures.filter(isBeyond)),
    '<a id="advice"></a>\n\n## What we advise beyond the paper, and what it gains',
    ...advice(),
    '<a id="pooled"></a>\n\n## What pooling every reading would reach',
    ...pooled(),
  ];
  return `${blocks.join('\n\n')}\n`;
}

const isBeyond = ({ text }: RecordedFigure): boolean => text.verdict === 'beyond';

function agreed(figures: readonly RecordedFigure[]): string {
  const within = figures.length - figures.filter(isBeyond).length;
  return agreementText({ judged: figures.length, within });
}

function introduction(figures: readonly RecordedFigure[]): string {
  return [
    'Tables 1 to 5, the figures and the theorems of Ma, Hoang, Chen (UAI 2023), run anew by f3.',
    `**${agreed(figures)} comparable figures agree with the paper's.**`,
    'Scores are those of the test part, mean ± standard deviation over seeds.',
    'Scores compare on METR-LA alone; on the other data sets only the ratios of Table 4 do.',
    `${plain(VERDICT_RULE.replace(' (green)', ''))} Other differences are **bold**.`,
    'This page states the figures on record in `experiments/*/expected.json`; `npm run docs` writes it.',
    '`f3 reproduce all --update --markdown docs/results` runs everything again and writes all pages.',
  ].join(' ');
}

const linkTo = (page: ResultsPageName, anchor = ''): string => `${page}.md${anchor && `#${anchor}`}`;

function pagesTable(figures: readonly RecordedFigure[]): string {
  const pages = Object.entries(RESULTS_PAGES) as [ResultsPageName, (typeof RESULTS_PAGES)[ResultsPageName]][];
  const rows = pages.map(([page, { title, about }]) => {
    const own = figures.filter(({ dataset = 'theory' }) => dataset === page);
    const sizes = page === 'theory' ? [DASH, DASH, DASH] : datasetSizes(page);
    return [`[${title}](${linkTo(page)})`, plain(about), ...sizes, agreed(own)];
  });
  return alignedTable(
    ['page', 'what it is', 'owners', 'samples', 'seeds', 'agree'],
    ['left', 'left', 'right', 'right', 'right', 'right'],
    rows,
  );
}

function datasetSizes(dataset: DatasetName): string[] {
  const sizes = readExpected('table-1');
  const count = (key: string) =>
    formatNumber(recordedFigure(sizes, dataset, `${dataset}/${key}`)?.mean ?? Number.NaN, 0);
  return [count('owners'), count('samples'), String(readExpected('table-2').ours[dataset]?.seeds ?? DASH)];
}

function claims(): string {
  const heads = ['what the paper says', 'paper, METR-LA', ...DATASETS.map((name) => RESULTS_PAGES[name].short)];
  const table = alignedTable(heads, ['left', ...DATASETS.map(() => 'right' as const), 'right'], claimRows());
  return `${table}\n\nDifferences are of F1 (macro F1 on four classes); one of at most both standard deviations added is *level*. × is the ratio of Gumbel softmax to ICDF.`;
}

/** The rows of Table 2 that a reader asks for first; the page has them all. */
const SHOWN = ['D', 'E', 'G', 'H', 'K', 'L'];
const ADVICE = 'recommended';

function datasetBlocks(dataset: DatasetName): string[] {
  const { rows = [] } = readConfig<SummarisedConfig>('table-2');
  const isBinary = recordedFigure(readExpected('table-1'), dataset, `${dataset}/classes`)?.mean === 2;
  const cells = (table: 'table-2' | 'advice', row: string): Cell[] =>
    (['f1', 'auc'] as const).map((score) => recordedScore(table, dataset, row, score) ?? DASH);
  const table: ResultTable = {
    title: '',
    columns: ['model', isBinary ? 'F1' : 'macro F1', isBinary ? 'ROC AUC' : 'ROC AUC (one-vs-one)'],
    rows: [
      ...rows.filter(({ id }) => SHOWN.includes(id)).map((row) => [rowLabel(row), ...cells('table-2', row.id)]),
      ['what we advise (below)', ...cells('advice', `fixed/${ADVICE}`)],
    ],
  };
  const { title } = RESULTS_PAGES[dataset];
  return [`## [${title}](${linkTo(dataset, `table-2-${dataset}`)})`, resultTable(table)];
}

function disagreements(figures: readonly RecordedFigure[]): string[] {
  const causes = [...new Set(figures.map(({ cause = 'not known' }) => cause))];
  const rows = figures.map(({ experiment, dataset, label, text, cause = 'not known' }) => {
    const page = dataset ?? 'theory';
    const anchor = dataset ? `${experiment}-${dataset}` : experiment;
    const [table] = readConfig<SummarisedConfig>(experiment).title.split(':');
    return [
      `[${table}, ${RESULTS_PAGES[page].short}](${linkTo(page, anchor)})`,
      plain(label),
      spread(text.mean, text.deviation),
      spread(text.paper, text.paperDeviation),
      text.difference,
      String(causes.indexOf(cause) + 1),
    ];
  });
  return [
    alignedTable(
      ['where', 'figure', 'ours', 'paper', 'difference', 'cause'],
      ['left', 'left', 'right', 'right', 'right', 'right'],
      rows,
    ),
    causes.map((cause, i) => `${i + 1}. ${plain(cause)}`).join('\n'),
  ];
}

const spread = (mean: string, deviation?: string): string => (deviation ? `${mean} ± ${deviation}` : mean);

/** The experiments that tell what our advice gains, and what gains more. */
type AdviceExperiment = 'beyond' | 'advice' | 'search';
/** Rows on record, from the paper's choices to all of our advice. */
const STEPS: { experiment: AdviceExperiment; row: string; name: string }[] = [
  { experiment: 'beyond', row: 'K', name: 'the paper’s choices: `--preset paper` for both' },
  { experiment: 'beyond', row: 'gru-z-score', name: 'owners: a GRU, inputs z-scored' },
  { experiment: 'beyond', row: 'gru-z-score-recommended', name: '… coordinator: `f3 fuse --preset graph`' },
  {
    experiment: 'advice',
    row: 'fixed/boosting',
    name: 'owners: `f3 owner train`, what we advise; coordinator: `f3 fuse --method boosting`',
  },
  { experiment: 'advice', row: `fixed/${ADVICE}`, name: '… coordinator: `f3 fuse`, what we advise, and the default' },
  {
    experiment: 'search',
    row: 'fixed/present-alone',
    name: '… with owners absent fused anew of those present: `f3 fuse --without`',
  },
  { experiment: 'advice', row: 'fixed/mixed-fits', name: '… several fits as one: `f3 fuse --fits 5`' },
  { experiment: 'search', row: 'fixed/searched', name: '… a search of 20 fits: `f3 fuse --preset auto`' },
];
/** Calibration errors on record. */
const CALIBRATIONS = [
  { row: 'boosting', key: 'calibration error', name: '`--method boosting`' },
  { row: ADVICE, key: 'calibration error', name: 'what we advise' },
  { row: ADVICE, key: 'calibration error by chance', name: 'if every probability were right' },
];
/** Splits, or means over several, by their names in the figures on record. */
const OTHER_SPLITS = [
  { split: 'fixed', name: 'fixed split' },
  { split: 'random', name: 'random splits, mean' },
  { split: 'time', name: 'split by time' },
];
const OTHER_ROWS: { experiment: AdviceExperiment; row: string; name: string }[] = [
  { experiment: 'advice', row: 'boosting', name: '`--method boosting`' },
  { experiment: 'advice', row: ADVICE, name: 'what we advise' },
  { experiment: 'search', row: 'searched', name: 'a search' },
];

function advice(): string[] {
  const shares = readConfig<{ absent: number[] }>('advice').absent.map((share) => `${Math.round(100 * share)} %`);
  const keys = ['f1', ...shares.map((share) => `f1 with ${share} absent`)];
  const records = { beyond: readExpected('beyond'), advice: readExpected('advice'), search: readExpected('search') };
  const mean = (experiment: AdviceExperiment, dataset: DatasetName, key: string): string => {
    const figure = recordedFigure(records[experiment], dataset, key);
    return figure ? formatNumber(figure.mean, 3) : DASH;
  };
  const heads = ['', ...DATASETS.map((name) => `[${RESULTS_PAGES[name].short}](${linkTo(name, `advice-${name}`)})`)];
  const alignments = ['left' as const, ...DATASETS.map(() => 'right' as const)];
  const steps = STEPS.map(({ experiment, row, name }) => [
    name,
    ...DATASETS.map((dataset) => keys.map((key) => mean(experiment, dataset, `${row}/${key}`)).join(' / ')),
  ]);
  const splits = OTHER_SPLITS.flatMap(({ split, name }) =>
    OTHER_ROWS.map(({ experiment, row, name: model }) => [
      `${name}: ${model}`,
      ...DATASETS.map((dataset) =>
        ['f1', 'auc'].map((key) => mean(experiment, dataset, `${split}/${row}/${key}`)).join(' / '),
      ),
    ]),
  );
  const calibrations = CALIBRATIONS.map(({ row, key, name }) => [
    name,
    ...DATASETS.map((dataset) => mean('advice', dataset, `fixed/${row}/${key}`)),
  ]);
  return [
    `F1 with everybody present / ${shares.map((share) => `${share} of the owners absent`).join(' / ')}, on the fixed split; deviations stand on the pages:`,
    alignedTable(heads, alignments, steps),
    'F1 / ROC AUC on other splits, with owners trained anew on the training part of each:',
    alignedTable(heads, alignments, splits),
    'Expected calibration error on the fixed split, and what chance alone would make of it on as many samples:',
    alignedTable(heads, alignments, calibrations),
    'Owners train a GRU on inputs that they z-score by their own readings, while the validation loss falls. The coordinator fits once with codes of quantile bins and once without, keeps the fit with the lower validation loss, drops half of the owners at random in training, learns no graph, divides the logits by a temperature, and names the class that is best for F1; so do the boosted trees beside it. This was chosen on the validation parts of the fixed splits ([what was tried](../../experiments/advice/README.md)); the test parts were looked at afterwards, without a temperature and once more with it ([what was known by then](../../experiments/advice/README.md#what-the-calibration-error-is-made-of); PMU-B [once more](../../experiments/advice/README.md#rare-classes)). Rows of Beyond the paper were compared on the test part, so the best of them owes something to luck. Rows with a search or fused anew are of one seed (`f3 reproduce search`), the others means over three to five.',
  ];
}

function pooled(): string[] {
  const { columns, rows } = pooledSummary();
  const heads = columns.map((name) => (name in RESULTS_PAGES ? RESULTS_PAGES[name as ResultsPageName].short : name));
  return [
    'F1 / ROC AUC (macro F1 and one-vs-one on four classes) of models that see the raw readings of all owners in one place: the ceiling, which no federation can use. `experiments/pooled/pooled.py` made these figures; no command of f3 runs it.',
    alignedTable(
      heads,
      ['left', ...DATASETS.map(() => 'right' as const)],
      rows.map((row) => row.map(String)),
    ),
  ];
}
