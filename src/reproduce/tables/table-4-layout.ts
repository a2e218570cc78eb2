// Tables and figure of `f3 reproduce table-4`.
import { meanAndDeviation } from '../../core/mean-and-deviation.ts';
import type { Measured, ResultFigure, ResultTable } from '../../figures/result.ts';
import type { PaperDataset } from '../paper-datasets.ts';
import type { TimeReply, TimeRequest } from './time-worker.ts';

export const GRAPHS = ['icdf', 'gumbel'] as const;

/** One kind of training, and what each repetition of it took. */
export interface Cost {
  graph: TimeRequest['graph'];
  graphsPer: TimeRequest['graphsPer'];
  runs: TimeReply[];
}

export interface Table4Layout {
  dataset: string;
  paper: PaperDataset;
  /** Whether owners and samples are as many as the paper's. */
  isPaperSize: boolean;
  epochs: number;
}

const NAMES = { icdf: 'ICDF', gumbel: 'Gumbel' } as const;
const PER = { example: 'one graph per example (paper)', batch: 'one graph per batch' } as const;

/** Mean and standard deviation over repetitions. */
function measured(values: number[], digits: number, paper: number | undefined): Measured {
  return { ...meanAndDeviation(values), digits, paper };
}

/** Seconds and megabytes belong to a machine, so the paper's are for orientation and not judged. */
const onOtherHardware = (cell: Measured): Measured => ({ ...cell, otherData: true });

/** Seconds of the fastest repetition: the one that other work on the machine slowed down least. */
export function fastest(runs: TimeReply[]): number {
  return Math.min(...runs.map(({ seconds }) => seconds));
}

export function costTable(costs: Cost[], { dataset, paper, isPaperSize, epochs }: Table4Layout): ResultTable {
  const rows = costs.map(({ graph, graphsPer, runs }) => {
    const theirs = isPaperSize && graphsPer === 'example' ? paper.cost[graph] : undefined;
    const of = (value: (run: TimeReply) => number, digits: number, figure?: number) =>
      measured(runs.map(value), digits, figure);
    return [
      PER[graphsPer],
      NAMES[graph],
      onOtherHardware(of(({ seconds }) => seconds, 2, theirs?.seconds)),
      { mean: fastest(runs), digits: 2 },
      onOtherHardware(of(({ peakMb }) => peakMb, 0, theirs?.memory)),
      of(({ coreMb }) => coreMb, 0),
      of(({ stepSeconds, steps }) => (1000 * stepSeconds) / steps, 1),
    ];
  });
  const { owners, samples } = costs[0].runs[0];
  const size = isPaperSize ? `the paper’s ${paper.name}` : dataset;
  return {
    title: `${epochs} epochs of row K at the size of ${size}: ${owners} owners, ${samples} samples`,
    columns: ['graphs', 'relaxation', 'seconds', 'fastest', 'peak MB', 'of which core (MB)', 'ms per training step'],
    rows,
    note:
      'Seconds: training on 70 % of the samples and the validation loss on 10 % after each epoch. Peak: resident memory ' +
      'of the whole process, JavaScript engine included. Deviations are over repetitions, each in a fresh process.',
  };
}

export function ratioTable(costs: Cost[], { dataset, paper }: Table4Layout) {
  const { gumbel, icdf } = paper.cost;
  const values: Record<string, number> = {};
  const perKinds = [...new Set(costs.map(({ graphsPer }) => graphsPer))];
  const lines = perKinds.map((graphsPer) => {
    const [one, other] = GRAPHS.map((graph) =>
      costs.find((cost) => cost.graph === graph && cost.graphsPer === graphsPer),
    );
    const [base, runs] = [one?.runs ?? [], other?.runs ?? []];
    const isPaperWay = graphsPer === 'example';
    const ratio = (of: (run: TimeReply) => number, theirs: number) =>
      measured(
        runs.map((run, i) => of(run) / of(base[i])),
        2,
        isPaperWay ? theirs : undefined,
      );
    const time = ratio(({ seconds }) => seconds, gumbel.seconds / icdf.seconds);
    const memory = ratio(({ peakMb }) => peakMb, gumbel.memory / icdf.memory);
    const key = `${dataset} Gumbel over ICDF per ${graphsPer}`;
    for (const [score, { mean, deviation = 0 }] of [['seconds', time] as const, ['peak MB', memory] as const]) {
      values[`${key}/${score}`] = mean;
      values[`${key}/${score}Deviation`] = deviation;
    }
    const text = `per ${graphsPer} Gumbel takes ${time.mean.toFixed(2)} times the time and ${memory.mean.toFixed(2)} times the memory of ICDF`;
    return { row: [PER[graphsPer], time, memory], text };
  });
  const table: ResultTable = {
    title: 'Gumbel over ICDF',
    columns: ['graphs', 'time', 'memory'],
    rows: lines.map(({ row }) => row),
    note: `Each repetition of one is divided by that of the other which ran next to it. The paper’s ratios are those of its Table 4 for ${paper.name}.`,
  };
  return { table, values, summary: `${lines.map(({ text }) => text).join('; ')}.` };
}

export function costFigure(costs: Cost[], { dataset, epochs }: Table4Layout): ResultFigure {
  const points = costs.flatMap(({ graph, graphsPer, runs }) =>
    runs.flatMap(({ seconds, peakMb }) => [
      { relaxation: NAMES[graph], graphs: `per ${graphsPer}`, measure: 'seconds', value: seconds },
      { relaxation: NAMES[graph], graphs: `per ${graphsPer}`, measure: 'peak MB', value: peakMb },
    ]),
  );
  const y = { field: 'graphs', type: 'nominal', title: null } as const;
  const yOffset = { field: 'relaxation', type: 'nominal', sort: Object.values(NAMES) } as const;
  const color = { field: 'relaxation', type: 'nominal', title: null, sort: Object.values(NAMES) } as const;
  return {
    name: `cost-${dataset}`,
    title: `Time and memory of ${epochs} epochs, ${dataset}`,
    caption: 'Bars: means over repetitions. Points: the repetitions.',
    specification: {
      data: { values: points },
      facet: { column: { field: 'measure', type: 'nominal', title: null, sort: ['seconds', 'peak MB'] } },
      spec: {
        width: 230,
        height: { step: 22 },
        layer: [
          {
            mark: { type: 'bar', opacity: 0.6 },
            encoding: {
              y,
              yOffset,
              color,
              x: { aggregate: 'mean', field: 'value', type: 'quantitative', title: null },
            },
          },
          {
            mark: { type: 'point', filled: true, size: 24 },
            encoding: { y, yOffset, color, x: { field: 'value', type: 'quantitative' } },
          },
        ],
      },
      resolve: { scale: { x: 'independent' } },
    },
  };
}
