// Writes the report page of `f3 demo --on-shares`: scores, live answers, the ledger and who could have read what, all marked as simulated.
import type { Cell, ResultTable } from '../../figures/result.ts';
import { scoreBars } from '../../figures/score-bars.ts';
import { machineFacts } from '../../reproduce/report/machine-facts.ts';
import { writeReport } from '../../reproduce/report/write-report.ts';
import { answersTable } from './demo-answers-table.ts';
import { READING_HEAD, readingRows, readingSentences } from './demo-reading-table.ts';
import { rowName } from './demo-result.ts';
import { type DemoSharesResult, ON_SHARES } from './demo-shares-result.ts';

export async function writeSharesReport(out: string, result: DemoSharesResult): Promise<void> {
  const { owners, samples, seed, seconds } = result;
  const introduction =
    `${owners} owners, three entities and a coordinator as processes of one machine: each owner trained alone, sent a share of its bundle to ` +
    'each entity and ended; the entities trained and predicted on shares. The power grid, its events and all readings are simulated.';
  const heading = { title: `A federation of ${owners} simulated owners on shares`, introduction };
  const [summary, ...remarks] = readingSentences(result);
  const bars = result.rows.flatMap((row) => {
    const label = rowName(row, result);
    return [
      { label, score: 'macro F1', ...row.f1 },
      { label, score: 'ROC AUC', ...row.auc },
    ];
  });
  const section = {
    name: 'demo-on-shares',
    title: 'Fusion that nobody can look into',
    simulated: true,
    seeds: 1,
    seconds,
    command: `f3 demo --on-shares --owners ${owners} --samples ${samples} --seed ${seed}`,
    summary,
    tables: [reading(result), scores(result), ledger(result), answers(result)],
    figures: [
      {
        name: 'scores',
        title: `${owners} owners, ${samples} events: scores on the test part`,
        caption: 'One fit each; the model in the clear has the same config and seed.',
        specification: scoreBars(bars),
      },
    ],
    remarks,
    configuration: { grid: { preset: 'pmu-c', owners, samples, seed }, charter: result.charter, absent: result.absent },
    values: Object.fromEntries(
      result.rows.flatMap((row) => [
        [`${rowName(row, result)}/f1`, row.f1.mean] as const,
        [`${rowName(row, result)}/auc`, row.auc.mean] as const,
      ]),
    ),
  };
  await writeReport(out, [section], { ...machineFacts(), heading });
}

function reading(result: DemoSharesResult): ResultTable {
  return {
    title: 'Who could have read what, alone and by twos',
    columns: READING_HEAD,
    rows: readingRows(result),
    note:
      'Tried: the shares in the entities’ folders were put together and compared with what the owners had split. A number counts as ' +
      'read when it comes out right to 24 bits after the point.',
  };
}

function scores(result: DemoSharesResult): ResultTable {
  return {
    title: 'Scores on the test part',
    columns: ['model', 'macro F1', 'ROC AUC (one-vs-one)', 'accuracy'],
    rows: result.rows.map((row): Cell[] => [rowName(row, result), row.f1, row.auc, row.accuracy]),
    note: `${result.tested} events that nobody trained on. ${ON_SHARES} was asked while all owners were offline.`,
  };
}

function ledger({ ledger: lines }: DemoSharesResult): ResultTable {
  const whole = (mean: number): Cell => ({ mean, digits: 0 });
  return {
    title: 'Everything that was opened',
    columns: ['opened', 'to', 'times', 'numbers', 'bits of mask', 'what'],
    rows: lines.map(({ what, to, openings, count, maskBits, meaning }): Cell[] => [
      what,
      to,
      whole(openings),
      whole(count),
      maskBits === undefined ? '–' : whole(maskBits),
      meaning,
    ]),
    note: 'As the entities wrote it down. A masked number is uniform to an entity but for a chance of 2 to the power of minus its bits.',
  };
}

function answers({ live, owners }: DemoSharesResult): ResultTable {
  const note = `The first events of the test part that one of them saw; a few of ${owners} owners came back, the others stayed away.`;
  return answersTable(live, 'Live answers, from shares of the moment', note);
}
