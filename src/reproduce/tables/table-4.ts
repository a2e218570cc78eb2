// `f3 reproduce table-4`: time and memory of training with ICDF against Gumbel softmax, each run in a fresh process.
import { execFile } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { DatasetName, ExperimentContext, ExperimentResult } from '../experiment.ts';
import { readConfig } from '../experiment-files.ts';
import { paperDatasets } from '../paper-datasets.ts';
import { type Remarks, remarksOn } from '../remarks.ts';
import { type Cost, costFigure, costTable, fastest, GRAPHS, ratioTable } from './table-4-layout.ts';
import type { TimeReply, TimeRequest } from './time-worker.ts';

export interface Table4Config {
  title: string;
  epochs: number;
  /** Width d of random embeddings. */
  width: number;
  batch: number;
  graphsPer: TimeRequest['graphsPer'][];
  /** Share of windows missing from random embeddings, where the paper's data set has missing data. */
  missingShare: number;
  /** What we make of the figures. */
  remarks: Remarks;
}

export interface Table4Options {
  dataset: DatasetName;
  /** Sizes of random embeddings; by default the paper's for this data set. */
  sizes?: { owners: number; samples: number; missing?: number };
  /** A folder of bundles to take instead of random embeddings. */
  bundles?: string;
  /** Changes to experiments/table-4/config.json. */
  config?: Partial<Table4Config>;
}

/** Repeats all kinds of training `context.seeds` times in turn, so that a slow spell of the machine meets all alike. */
export async function table4(context: ExperimentContext, options: Table4Options): Promise<ExperimentResult> {
  const start = performance.now();
  const busy = busyRemark();
  const { remarks, ...config } = { ...readConfig<Table4Config>('table-4'), ...options.config };
  const { dataset, bundles } = options;
  const paper = paperDatasets[dataset];
  const { owners, samples, missing = paper.missing ? config.missingShare : 0 } = options.sizes ?? paperSizes(dataset);
  const data = bundles === undefined ? { owners, samples, width: config.width, missing } : { bundles };
  const costs: Cost[] = config.graphsPer.flatMap((graphsPer) =>
    GRAPHS.map((graph) => ({ graph, graphsPer, runs: [] })),
  );
  for (let seed = 0; seed < context.seeds; seed++) {
    for (const { graph, graphsPer, runs } of costs) {
      context.signal?.throwIfAborted();
      const { epochs, batch } = config;
      const request = { graph, graphsPer, epochs, batch, seed, threads: context.threads, classes: paper.classes, data };
      runs.push(await timeAlone(request, context.signal));
      context.progress(
        'timing',
        costs.reduce((sum, cost) => sum + cost.runs.length, 0),
        costs.length * context.seeds,
      );
    }
  }
  const [first] = costs[0].runs;
  const isPaperSize = first.owners === paper.owners && first.samples === paper.samples;
  const layout = { dataset, paper, isPaperSize, epochs: config.epochs };
  const ratios = ratioTable(costs, layout);
  return {
    name: 'table-4',
    title: config.title,
    dataset,
    simulated: dataset.startsWith('pmu'),
    command: `f3 reproduce table-4 --dataset ${dataset} --seeds ${context.seeds}`,
    seeds: context.seeds,
    seconds: (performance.now() - start) / 1000,
    summary: `${first.owners} owners, ${first.samples} samples: ${ratios.summary}`,
    tables: [costTable(costs, layout), ratios.table],
    figures: [costFigure(costs, layout)],
    remarks: [
      ...remarksOn(remarks, dataset, () => true),
      ...sizeRemarks(first, options, isPaperSize, missing),
      ...busy,
    ],
    configuration: {
      ...config,
      dataset,
      data: bundles === undefined ? data : 'bundles',
      threads: context.threads ?? 'all',
    },
    values: { ...ratios.values, ...costValues(costs, dataset) },
  };
}

function paperSizes(dataset: DatasetName): NonNullable<Table4Options['sizes']> {
  const { owners, samples } = paperDatasets[dataset];
  return { owners, samples };
}

const run = promisify(execFile);

async function timeAlone(request: TimeRequest, signal: AbortSignal | undefined): Promise<TimeReply> {
  const worker = fileURLToPath(new URL(`./time-worker${extname(import.meta.url)}`, import.meta.url));
  const { stdout } = await run(process.execPath, [worker, JSON.stringify(request)], signal ? { signal } : {});
  return JSON.parse(stdout) as TimeReply;
}

function costValues(costs: Cost[], dataset: DatasetName): Record<string, number> {
  const entries = costs.flatMap(({ graph, graphsPer, runs }) => {
    const row = `${dataset} ${graph} per ${graphsPer}`;
    const mean = (of: (reply: TimeReply) => number) => runs.reduce((sum, reply) => sum + of(reply), 0) / runs.length;
    return [
      [`${row}/seconds`, mean(({ seconds }) => seconds)],
      [`${row}/fastest seconds`, fastest(runs)],
      [`${row}/peak MB`, mean(({ peakMb }) => peakMb)],
      [`${row}/core MB`, mean(({ coreMb }) => coreMb)],
    ];
  });
  return Object.fromEntries(entries);
}

function busyRemark(): string[] {
  const [load] = loadavg();
  const cores = availableParallelism();
  if (load <= cores) return [];
  return [
    `When timing began ${load.toFixed(1)} programs were already competing for ${cores} cores: seconds are too long.`,
  ];
}

function sizeRemarks(
  { owners, samples, width }: TimeReply,
  { dataset, bundles }: Table4Options,
  isPaperSize: boolean,
  missing: number,
): string[] {
  const paper = paperDatasets[dataset];
  const gaps = missing > 0 ? `, ${(100 * missing).toFixed(0)} % of them missing` : '';
  return [
    bundles === undefined
      ? `Embeddings are random numbers, ${owners} × ${samples} × ${width}${gaps}: time and memory do not depend on their values.`
      : `Embeddings are the owners’, ${owners} × ${samples} × ${width}; labels are random, which changes neither time nor memory.`,
    ...(isPaperSize
      ? []
      : [
          `The paper’s ${paper.name} has ${paper.owners} owners and ${paper.samples} samples: only ratios are set beside its.`,
        ]),
  ];
}
