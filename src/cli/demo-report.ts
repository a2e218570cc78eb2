// The report page of `f3 demo`: its scores, its live answers and its owners' processes, all marked as simulated.
import { paperOwnerPreset } from '../embed/owner-preset.ts';
import { paperPreset, paperRows } from '../fuse/fusion-config.ts';
import type { Cell, ExperimentResult, ResultFigure, ResultTable } from '../reproduce/experiment.ts';
import { machineFacts } from '../reproduce/machine-facts.ts';
import { scoreBars, trainingCurves } from '../reproduce/report-charts.ts';
import { writeReport } from '../reproduce/write-report.ts';
import { chance, comparison, type DemoResult, FUSED, MEAN_POOLING, rowName } from './demo-result.ts';

export async function writeDemoReport(out: string, result: DemoResult): Promise<void> {
  const introduction =
    `${result.owners} owners and a coordinator as processes of one machine, talking over loopback: each owner joined with a ` +
    'one-time code, trained alone, sent one bundle and ended. The power grid, its events and all readings are simulated.';
  const heading = { title: `A federation of ${result.owners} simulated owners`, introduction };
  await writeReport(out, [section(result)], { ...machineFacts(), heading });
}

function section(result: DemoResult): ExperimentResult {
  const { owners, samples, seed, fits, seconds } = result;
  return {
    ...{ name: 'demo', title: 'What fusing them gives', simulated: true, seeds: fits, seconds },
    command: `f3 demo --owners ${owners} --samples ${samples} --seed ${seed}`,
    summary: `${comparison(result)}. ${chance(result)}.`,
    tables: [scores(result), answers(result), ownersOnline(result)],
    figures: figures(result),
    remarks: [
      'Majority vote and best owner need no fusion: they use the class probabilities in the bundles. The best owner is the one ' +
        'most accurate on validation among those who saw the event.',
      `${MEAN_POOLING} and ${FUSED} are rows E and K of the paper's Table 2, unchanged; only the seed differs between fits.`,
    ],
    configuration: {
      grid: { preset: 'pmu-c', owners, samples, seed },
      owners: { ...paperOwnerPreset, normalisation: 'z-score', seed },
      fusion: { preset: paperPreset, [MEAN_POOLING]: paperRows.E, [FUSED]: paperRows.K },
      absent: result.absent,
    },
    values: Object.fromEntries(
      result.rows.flatMap((row) => {
        const name = rowName(row, result);
        return [[`${name}/f1`, row.f1.mean] as const, [`${name}/auc`, row.auc.mean] as const];
      }),
    ),
  };
}

function scores(result: DemoResult): ResultTable {
  const { rows, fits, tested } = result;
  return {
    title: 'Scores on the test part',
    columns: ['model', 'macro F1', 'ROC AUC (one-vs-one)', 'accuracy'],
    rows: rows.map((row): Cell[] => [rowName(row, result), row.f1, row.auc, row.accuracy]),
    note: `${tested} events that neither owners nor coordinator trained on. Of what learns, mean ± standard deviation of ${fits} fits.`,
  };
}

function answers({ live, owners, absent }: DemoResult): ResultTable {
  return {
    title: 'Live answers',
    columns: ['event', 'answer', 'probability', 'truth', 'present', 'owners present'],
    rows: live.map(({ sample, class: answer, probability, truth, present }): Cell[] => [
      ...[sample, answer],
      { mean: probability, digits: 2 },
      truth,
      { mean: present.length, digits: 0 },
      present.join(', '),
    ]),
    note:
      `The first test event of each class. ${absent.length} of ${owners} owners stayed away: ${absent.join(', ')}. Others were ` +
      'down or not yet installed at the time of an event.',
  };
}

function ownersOnline({ processes }: DemoResult): ResultTable {
  const whole = (mean: number): Cell => ({ mean, digits: 0 });
  const rows = processes.owners.map(({ owner, pid, windows, epochs, bytes, started, ended }): Cell[] => [
    ...[owner, String(pid), whole(windows), whole(epochs)],
    { mean: bytes / 1000, digits: 1 },
    { mean: (ended - started) / 1000, digits: 1 },
    { mean: (processes.trainingStarted - ended) / 1000, digits: 1 },
  ]);
  return {
    title: 'Owners, each a process that ended before training began',
    columns: ['owner', 'process', 'windows', 'epochs', 'kB sent', 'seconds online', 'seconds offline before training'],
    rows,
    note: `The coordinator was process ${processes.coordinator}. An owner sends its embeddings once; its readings never leave it.`,
  };
}

function figures(result: DemoResult): ResultFigure[] {
  const bars = result.rows.flatMap((row) => {
    const label = rowName(row, result);
    return [
      { label, score: 'macro F1', ...row.f1 },
      { label, score: 'ROC AUC', ...row.auc },
    ];
  });
  const { owners, samples, fits } = result;
  return [
    {
      name: 'scores',
      title: `${owners} owners, ${samples} events: scores on the test part`,
      caption: `Mean of ${fits} fits; whiskers are one standard deviation.`,
      specification: scoreBars(bars),
    },
    {
      name: 'curves',
      title: 'Validation loss on the coordinator',
      caption: 'Thin lines are fits, bold lines their mean. The weights of the lowest point are kept.',
      specification: trainingCurves(result.curves, { y: 'validation loss', log: true }),
    },
  ];
}
