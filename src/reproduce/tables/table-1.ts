// `f3 reproduce table-1`: what a data set holds, beside the paper's Table 1.
import { type DatasetInfo, describeDataset } from '../../data/dataset/dataset-info.ts';
import type { Cell, ResultTable } from '../../figures/result.ts';
import type { DatasetName, ExperimentContext, ExperimentResult } from '../experiment.ts';
import { readConfig } from '../experiment-files.ts';
import { type PaperDataset, paperDatasets } from '../paper-datasets.ts';

export interface Table1Options {
  dataset: DatasetName;
  /** Folder of the data set. */
  dir: string;
}

/** What occurs among the owners' windows. Where all owners are alike, each list has one entry. */
interface WindowFacts {
  lengths: number[];
  variates: number[];
  rates: string[];
}

export async function table1(context: ExperimentContext, { dataset, dir }: Table1Options): Promise<ExperimentResult> {
  const start = performance.now();
  const { title } = readConfig<{ title: string }>('table-1');
  const info = await describeDataset(dir, context.progress);
  const paper = paperDatasets[dataset];
  const facts = windowFacts(info);
  const { values, ...statistics } = statisticsTable(dataset, info, facts, paper);
  return {
    name: 'table-1',
    title,
    dataset,
    simulated: info.simulated,
    command: `f3 reproduce table-1 --dataset ${dataset}`,
    seeds: 1,
    seconds: (performance.now() - start) / 1000,
    summary:
      `${dataset}: ${info.samples} samples of ${info.owners} owners, ${info.classNames.length} classes, ` +
      `${percent(info.missing)} of the owners’ windows missing.`,
    tables: [statistics, classTable(dataset, info)],
    figures: [],
    remarks: remarks(info, paper),
    configuration: { dataset },
    values,
  };
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const count = (mean: number): Cell => ({ mean, digits: 0 });
const yesNo = (yes: boolean) => (yes ? 'yes' : 'no');

function windowFacts({ perOwner }: DatasetInfo): WindowFacts {
  const distinct = <T>(values: T[]) => [...new Set(values)];
  return {
    lengths: distinct(perOwner.map(({ length }) => length)),
    variates: distinct(perOwner.map(({ variates }) => variates.length)),
    rates: distinct(perOwner.map(({ rate }) => rate)),
  };
}

function statisticsTable(dataset: DatasetName, info: DatasetInfo, facts: WindowFacts, paper: PaperDataset) {
  const values: Record<string, number> = {};
  const number = (name: string, mean: number, theirs?: number): Cell[] => {
    values[`${dataset}/${name}`] = mean;
    return [name, count(mean), theirs === undefined ? '' : count(theirs)];
  };
  /** One number where all owners have the same. */
  const common = (name: string, found: number[], theirs: number): Cell[] =>
    found.length === 1 ? number(name, found[0], theirs) : [name, found.join(', '), count(theirs)];
  values[`${dataset}/missing windows`] = info.missing;
  values[`${dataset}/zero readings`] = info.zeros;
  info.classNames.forEach((name, i) => {
    values[`${dataset}/class ${name}`] = info.classes[i];
  });
  const { train, validation, test } = info.split;
  const rows: Cell[][] = [
    number('samples', info.samples, paper.samples),
    number('owners', info.owners, paper.owners),
    common('variates', facts.variates, paper.variates),
    number('classes', info.classNames.length, paper.classes),
    common('series length', facts.lengths, paper.length),
    ['sampling rate', facts.rates.join(', '), ''],
    ['missing data', info.missing > 0 ? `yes: ${percent(info.missing)} of windows` : 'no', yesNo(paper.missing)],
    ['given graph', yesNo(info.graph), yesNo(paper.graph)],
    ['readings that are zero', percent(info.zeros), ''],
    number('training samples', train),
    number('validation samples', validation),
    number('test samples', test),
  ];
  const table: ResultTable = {
    title: `Statistics of ${dataset}`,
    columns: ['', 'here', `paper, ${paper.name}`],
    rows,
  };
  return { ...table, values };
}

function classTable(dataset: DatasetName, { classNames, classes, samples }: DatasetInfo): ResultTable {
  return {
    title: `Classes of ${dataset}`,
    columns: ['class', 'samples', 'share'],
    rows: classNames.map((name, i) => [name, count(classes[i]), percent(classes[i] / samples)]),
  };
}

function remarks(info: DatasetInfo, paper: PaperDataset): string[] {
  const found: string[] = [];
  if (info.simulated) {
    found.push(`Simulated: the paper’s ${paper.name} is proprietary. Sizes are the paper’s, the readings are not.`);
  }
  if (info.owners !== paper.owners) {
    found.push(`${info.owners} of the ${paper.owners} owners of ${paper.name} are in the data at hand.`);
  }
  if (!paper.missing && info.zeros > 0.01) {
    found.push(
      `The paper counts no missing data; ${percent(info.zeros)} of the readings are 0, which marks a missing one.`,
    );
  }
  return found;
}
