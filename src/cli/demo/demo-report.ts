// Writes the report page of `f3 demo`: scores, live answers and the owners' processes, all marked as simulated.

import type { TopLevelSpec } from 'vega-lite';
import { recommendedOwnerPreset } from '../../embed/owner-preset.ts';
import { gridMap, PHONE_GRID_WIDTH } from '../../figures/grid-map.ts';
import { PAPER, SERIES } from '../../figures/report-figure.ts';
import type { Cell, ResultFigure, ResultTable } from '../../figures/result.ts';
import { scoreBars } from '../../figures/score-bars.ts';
import { trainingCurves } from '../../figures/training-curves.ts';
import { graphPreset, paperPreset, paperRows, recommendedPreset } from '../../fuse/fusion-config.ts';
import type { ExperimentResult } from '../../reproduce/experiment.ts';
import { machineFacts } from '../../reproduce/report/machine-facts.ts';
import { writeReport } from '../../reproduce/report/write-report.ts';
import { answersTable } from './demo-answers-table.ts';
import { absenceSentence, comparisonTable, INTERVAL_NOTE } from './demo-comparison.ts';
import { graphSentence } from './demo-graph.ts';
import { type DemoOwner, type DemoResult, FUSED, GRAPHED, MEAN_POOLING, rowName } from './demo-result.ts';

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
    name: 'demo',
    title: 'What fusing them gives',
    simulated: true,
    seeds: fits,
    seconds,
    command: `f3 demo --owners ${owners} --samples ${samples} --seed ${seed}`,
    summary: `${absenceSentence(result)} ${graphSentence(result.graph)}`,
    tables: [scores(result), differences(result), answers(result), ownersOnline(result)],
    figures: figures(result),
    remarks: [
      'Majority vote and best owner need no fusion: they use the class probabilities in the bundles. The best owner is the one ' +
        'most accurate on validation among those who saw the event.',
      `${FUSED} is what we advise (preset recommended), which learns no graph. ${GRAPHED} is row K of the paper's Table 2 with owner dropout and edges kept inside their clamp (preset graph), ${MEAN_POOLING} is row E; only the seed differs between fits.`,
    ],
    configuration: {
      grid: { preset: 'pmu-c', owners, samples, seed },
      owners: { ...recommendedOwnerPreset, seed },
      fusion: {
        [MEAN_POOLING]: { ...paperPreset, ...paperRows.E },
        [GRAPHED]: graphPreset,
        [FUSED]: recommendedPreset,
      },
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

function differences(result: DemoResult): ResultTable {
  const { head, rows } = comparisonTable(result);
  return { title: 'What is chance and what is not', columns: head, rows, note: INTERVAL_NOTE };
}

function answers({ live, owners, absent }: DemoResult): ResultTable {
  const note =
    `The first events of the test part, answered while ${absent.length} of ${owners} owners stayed away. Others were down or ` +
    'not yet installed at the time of an event.';
  return answersTable(live, 'Live answers', note);
}

function ownersOnline({ processes: { owners, coordinator, trainingStarted } }: DemoResult): ResultTable {
  const row = (name: string, of: (owner: DemoOwner) => number, digits = 0): Cell[] => {
    const sorted = owners.map(of).sort((a, b) => a - b);
    return [name, ...[0, sorted.length >> 1, sorted.length - 1].map((at) => ({ mean: sorted[at], digits }))];
  };
  return {
    title: `${owners.length} owners, ${owners.length} processes`,
    columns: ['', 'least', 'median', 'most'],
    rows: [
      row('windows of its own', ({ windows }) => windows),
      row('epochs of training alone', ({ epochs }) => epochs),
      row('kB sent, once', ({ bytes }) => bytes / 1000, 1),
      row('seconds online', ({ started, ended }) => (ended - started) / 1000, 1),
      row('seconds between its end and fusion', ({ ended }) => (trainingStarted - ended) / 1000, 1),
    ],
    note: `The coordinator was process ${coordinator}. Embeddings and sample ids left an owner; its readings did not.`,
  };
}

/** Owners from left to right, events from top to bottom; on a phone the other way round. */
function presence({ live, processes: { owners }, absent }: DemoResult, isNarrow = false): TopLevelSpec {
  const [there, silent, away] = ['present', 'no reading', 'away'];
  const values = live.flatMap(({ sample, present }) =>
    owners.map(({ owner }) => ({
      sample,
      owner,
      state: present.includes(owner) ? there : absent.includes(owner) ? away : silent,
    })),
  );
  const axis = { domain: false, ticks: false } as const;
  const vertical = { ...axis, labelAngle: -90, labelFontSize: 9, labelOverlap: false } as const;
  const byOwner = { field: 'owner', type: 'ordinal', title: 'owner' } as const;
  const byEvent = { field: 'sample', type: 'ordinal', sort: null, title: null } as const;
  const small = { ...axis, labelFontSize: 9, labelOverlap: false } as const;
  const places = isNarrow
    ? { x: { ...byEvent, axis: { ...vertical, orient: 'top' as const } }, y: { ...byOwner, axis: small } }
    : { x: { ...byOwner, axis: vertical }, y: { ...byEvent, axis } };
  return {
    data: { values },
    ...(isNarrow ? { width: { step: 24 }, height: { step: 13 } } : { width: { step: 13 }, height: { step: 18 } }),
    mark: { type: 'square', size: 90, opacity: 1 },
    encoding: {
      ...places,
      color: {
        field: 'state',
        type: 'nominal',
        scale: { domain: [there, silent, away], range: [SERIES[0], PAPER, SERIES[1]] },
        legend: { orient: 'top', title: null },
      },
    },
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
  const { owners, samples, fits, graph } = result;
  return [
    {
      name: 'scores',
      title: `${owners} owners, ${samples} events: scores on the test part`,
      caption: `Mean of ${fits} fits; whiskers are one standard deviation.`,
      specification: scoreBars(bars),
    },
    {
      name: 'presence',
      title: 'Who was present at the live events',
      caption: 'Away: the owner sent nothing at all. No reading: it had none of this event.',
      specification: presence(result),
      narrow: presence(result, true),
    },
    {
      name: 'graph',
      title: `The ${graph.strongest.length} strongest of ${graph.pairs} edges, on the simulated grid`,
      caption:
        `By edge probability, averaged over ${fits} fits of ${GRAPHED}. The coordinator knows neither the grid nor where owners are; ` +
        'whether the graph follows the grid is said above.',
      specification: gridMap(graph.plan, graph.strongest),
      narrow: gridMap(graph.plan, graph.strongest, PHONE_GRID_WIDTH),
    },
    {
      name: 'curves',
      title: 'Validation loss on the coordinator',
      caption: 'Thin lines are fits, bold lines their mean. The weights of the lowest point are kept.',
      specification: trainingCurves(result.curves, { y: 'validation loss', log: true }),
    },
  ];
}
