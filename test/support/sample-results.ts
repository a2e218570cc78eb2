// Results of two experiments with everything that a report must cope with: markup in texts, gaps, simulated data.

import { scoreBars, tableBars } from '../../src/figures/score-bars.ts';
import type { ExperimentResult } from '../../src/reproduce/experiment.ts';
import type { ReportFacts } from '../../src/reproduce/report/report-names.ts';

export const sampleFacts: ReportFacts = {
  version: '1.2.3',
  node: 'v24.0.0',
  platform: 'linux x64',
  cpu: 'Some <CPU>',
  cores: 2,
  created: new Date('2024-05-06T07:08:09Z'),
};

const table = {
  title: 'Scores | of <b>all</b> rows',
  columns: ['row', 'F1', 'accuracy'],
  rows: [
    ['E', { mean: 0.776, deviation: 0.002, paper: 0.77, paperDeviation: 0.009 }, { mean: 0.9 }],
    ['K & more', { mean: 0.7, deviation: 0.01, paper: 0.83, paperDeviation: 0.01 }, { mean: Number.NaN }],
    ['A', { mean: Number.NaN, paper: 0.25 }, { mean: 0.5, deviation: Number.NaN }],
    ['no paper', { mean: 0.5 }, 'not *run*'],
  ],
  note: 'A <note>.',
} satisfies ExperimentResult['tables'][number];

export function sampleResult(changes: Partial<ExperimentResult> = {}): ExperimentResult {
  return {
    name: 'table-2',
    title: 'Table 2: <script>alert(1)</script>',
    dataset: 'metr-la',
    simulated: false,
    command: 'f3 reproduce table-2 && echo "<done>"',
    seeds: 5,
    seconds: 75,
    summary: 'What & why.',
    tables: [table],
    figures: [
      {
        name: 'scores',
        title: 'Bars of "all" <rows>',
        caption: 'Means & deviations.',
        specification: scoreBars(tableBars(table)),
      },
    ],
    remarks: ['One_remark with `code` and [a](link).'],
    configuration: { text: '</code><script>', temperature: 0.1 },
    values: { 'E/f1': 0.776 },
    ...changes,
  };
}

export const simulatedResult = (): ExperimentResult => sampleResult({ dataset: 'pmu-b', simulated: true });
