// What owners give away and what the federation loses by it: recovery of readings beside F1, for noise, bottlenecks and shields.
import { openDataset } from '../../data/dataset/dataset.ts';
import type { Cell, Measured, ResultTable } from '../../figures/result.ts';
import type { DatasetName, ExperimentContext, ExperimentResult } from '../experiment.ts';
import { readConfig } from '../experiment-files.ts';
import { findDataset } from '../find-dataset.ts';
import { type Remarks, remarksOn } from '../remarks.ts';
import { frontierFigure } from './frontier-figure.ts';
import { PrivacyBench } from './privacy-bench.ts';
import type { PrivacyRow, PrivacyRun } from './privacy-row.ts';

interface PrivacyConfig {
  title: string;
  summary: string;
  /** Owners whose readings are attacked, by data set. */
  attacked: Partial<Record<DatasetName, number>>;
  /** Unit of the readings, by data set; where none is named, errors have none. */
  units: Partial<Record<DatasetName, string>>;
  delta: number;
  rows: PrivacyRow[];
  remarks?: Remarks;
}

const ATTACKED = 8;

export async function privacyTable(
  context: ExperimentContext,
  { dataset: datasetName, rows: wanted }: { dataset: DatasetName; rows?: readonly string[] | undefined },
): Promise<ExperimentResult> {
  const config = readConfig<PrivacyConfig>('privacy');
  const { delta } = config;
  const rows = config.rows.filter(
    ({ id, datasets }) => wanted?.includes(id) ?? datasets?.includes(datasetName) ?? true,
  );
  const dataset = await findDataset(datasetName, context);
  const { classes, owners, samples, labels, split } = await openDataset(dataset.dir);
  const attacked = Math.min(owners.length, config.attacked[datasetName] ?? ATTACKED);
  const bench = new PrivacyBench(dataset, context, { attacked, delta });
  const runs: PrivacyRun[] = [];
  for (const [i, row] of rows.entries()) {
    context.progress(`${datasetName}: rows`, i, rows.length, { note: `row ${row.id}` });
    runs.push(await bench.run(row));
  }
  context.progress(`${datasetName}: rows`, rows.length, rows.length);
  const unit = config.units[datasetName];
  return {
    name: 'privacy',
    title: config.title,
    dataset: datasetName,
    simulated: dataset.simulated,
    seeds: context.seeds,
    command: `f3 reproduce privacy --dataset ${datasetName} --seeds ${context.seeds}`,
    seconds: runs.reduce((sum, { fits }) => sum + fits.reduce((part, { seconds }) => part + seconds, 0), 0),
    summary: config.summary,
    tables: [
      scoreTable(runs, classes.length, unit, {
        attacked,
        owners: owners.length,
        uninformed: constantF1(labelsIn(split.test, samples, labels), classes),
      }),
      settingTable(runs, delta, classes.length),
    ],
    figures: [frontierFigure(datasetName, runs, classes.length)],
    remarks: [
      ...dataset.remarks,
      ...(dataset.isGenuine ? remarksOn(config.remarks ?? {}, datasetName, () => true) : []),
    ],
    configuration: { attacked, delta, rows },
    isRecordable: dataset.isGenuine,
    values: valuesOf(runs),
  };
}

function scoreTable(
  runs: readonly PrivacyRun[],
  classes: number,
  unit: string | undefined,
  { attacked, owners, uninformed }: { attacked: number; owners: number; uninformed: ConstantAnswer },
): ResultTable {
  const share = (mean: number): Measured => ({ mean });
  return {
    title: 'Readings recovered, and what the federation makes of the embeddings',
    columns: [
      'row',
      'what owners do',
      "window's mean",
      unit === undefined ? 'error' : `error, ${unit}`,
      'last reading',
      'every reading',
      'most exposed owner',
      classes === 2 ? 'F1' : 'macro F1',
      'ROC AUC',
      'lost',
    ],
    rows: runs.map((run): Cell[] => {
      const { row, recovery } = run;
      const lost = scoreOf(runs[0], 'f1').mean - scoreOf(run, 'f1').mean;
      return [
        row.id,
        row.name,
        share(recovery.mean.share),
        { mean: recovery.mean.error, digits: 2 },
        share(recovery.last.share),
        share(recovery.every.share),
        share(recovery.worst),
        scoreOf(run, 'f1'),
        scoreOf(run, 'auc'),
        { mean: lost },
      ];
    }),
    note:
      `Shares of variance on the test part, recovered by the best of a straight line, a small network and, from rounded answers, a table, which know half of the readings; mean over ${attacked} of ${owners} ` +
      `owners, spread evenly, each attacked through its own embeddings alone. Guessing the mean errs by ${runs[0].recovery.mean.guess.toFixed(2)}${unit === undefined ? '' : ` ${unit}`}. ` +
      'Scores are those of preset recommended on the test part; lost is beside the first row. ' +
      `Always naming ${uninformed.name} has ${classes === 2 ? 'F1' : 'macro F1'} ${uninformed.f1.toFixed(3)}.`,
  };
}

/** The class that whoever knows nothing would always name, and what that scores. */
interface ConstantAnswer {
  name: string;
  f1: number;
}

/** `labels`: [sample]. With two classes F1 is that of the second, so nobody who is judged by it would always name the first. */
export function constantF1(labels: readonly number[], classes: readonly string[]): ConstantAnswer {
  const scored = classes.length === 2 ? [1] : [...classes.keys()];
  const answers = scored.map((c) => {
    const share = labels.filter((label) => label === c).length / labels.length;
    return { name: classes[c], f1: (2 * share) / (1 + share) / scored.length };
  });
  return answers.reduce((best, answer) => (answer.f1 > best.f1 ? answer : best));
}

function labelsIn(part: readonly string[], samples: readonly string[], labels: Int32Array): number[] {
  const isIn = new Set(part);
  return [...samples.keys()].filter((row) => isIn.has(samples[row])).map((row) => labels[row]);
}

/** Numbers of a sample that leave its owner. */
function leaving({ bottleneck = 16, form }: PrivacyRow, classes: number): string {
  if (form === undefined) return String(bottleneck);
  if (typeof form === 'object') {
    const most = form.maxRecovery === undefined ? '' : `, merged for ${form.maxRecovery}`;
    return `${classes - 1}, in ${form.answers} levels${most}`;
  }
  return form === 'class' ? 'a class' : String(classes - 1);
}

function settingTable(runs: readonly PrivacyRun[], delta: number, classes: number): ResultTable {
  return {
    title: 'What was chosen',
    columns: ['row', 'numbers that leave', 'shield', 'ε', 'noise, in lengths of the cut', 'seeds', 'owners, s'],
    rows: runs.map(({ row, noise, fits, ownerSeconds }): Cell[] => [
      row.id,
      leaving(row, classes),
      row.shield ? `${row.shield.kind} ${row.shield.weight}` : 'none',
      row.epsilon === undefined ? '∞' : String(row.epsilon),
      noise === undefined ? 'none' : { mean: noise, digits: 2 },
      String(fits.length),
      { mean: ownerSeconds, digits: 0 },
    ]),
    note: `ε of one release of a sample at δ = ${delta}. Embeddings are cut at the owner's median length, and at √d behind a bottleneck, where nothing is longer.`,
  };
}

export function scoreOf({ fits }: PrivacyRun, score: 'f1' | 'auc'): Measured {
  const values = fits.map(({ test }) => test[score]);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (values.length < 2) return { mean };
  return {
    mean,
    deviation: Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)),
  };
}

function valuesOf(runs: readonly PrivacyRun[]): Record<string, number> {
  const values: Record<string, number> = {};
  for (const run of runs) {
    const { row, recovery } = run;
    values[`${row.id}/mean recovered`] = recovery.mean.share;
    values[`${row.id}/mean error`] = recovery.mean.error;
    values[`${row.id}/last recovered`] = recovery.last.share;
    values[`${row.id}/every recovered`] = recovery.every.share;
    values[`${row.id}/most recovered`] = recovery.worst;
    for (const score of ['f1', 'auc'] as const) {
      const { mean, deviation } = scoreOf(run, score);
      values[`${row.id}/${score}`] = mean;
      if (deviation !== undefined) values[`${row.id}/${score}Deviation`] = deviation;
    }
  }
  return values;
}
