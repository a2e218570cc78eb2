// The work behind `f3 demo`: three models on planted embeddings, and a table of what each part adds.
import { SingleBar } from 'cli-progress';
import { Engine } from '../core/engine.ts';
import { type Planted, simulatePlanted } from '../data/planted.ts';
import { type FusionConfig, paperPreset } from '../fuse/fusion-config.ts';
import { fitPlanted, type PlantedFit } from '../reproduce/fit-planted.ts';
import { printResult } from './run-command.ts';

export interface DemoOptions {
  owners: number;
  samples: number;
  epochs: number;
  seed: number;
  json?: boolean;
}

interface DemoRow extends PlantedFit {
  model: string;
}

/**
 * What the demo changes of the paper's preset: a layer wide enough for eight kinds, permutations as alignments, and edge
 * probabilities that never lose their gradient (docs/planted.md).
 */
const BASE: Partial<FusionConfig> = { hidden: 16, alignment: 'hard', projectEdges: true };
const VARIANTS: { model: string; config: Partial<FusionConfig> }[] = [
  { model: 'mean pooling', config: { alignment: 'none', graph: 'none' } },
  { model: 'alignment only', config: { graph: 'none' } },
  { model: 'F³: alignment + graph', config: { graph: 'icdf' } },
];

export async function runDemo(options: DemoOptions): Promise<void> {
  const { owners, samples, seed } = options;
  const planted = simulatePlanted({ owners, samples, width: 8, neighbours: 1, seed });
  const engine = new Engine();
  const rows: DemoRow[] = [];
  for (const { model, config } of VARIANTS) {
    const full = { ...paperPreset, ...BASE, ...config, epochs: options.epochs, seed };
    rows.push({ model, ...(await fitVariant(engine, planted, model, full)) });
  }
  await engine.dispose();
  printResult({ owners, samples, seed, rows }, table(rows, options), options.json);
}

async function fitVariant(engine: Engine, planted: Planted, name: string, config: FusionConfig): Promise<PlantedFit> {
  const format = `${name.padEnd(22)} {bar} epoch {value}/{total}  validation loss {loss}  {eta_formatted} left`;
  // Without a terminal there is no bar: one line per model says that something happens.
  if (!process.stderr.isTTY) process.stderr.write(`training ${name}\n`);
  const bar = new SingleBar({ format, stream: process.stderr, hideCursor: true });
  bar.start(config.epochs, 0, { loss: '–' });
  const fit = await fitPlanted(engine, planted, config, {
    onEpoch: ({ epoch, validationLoss }) => bar.update(epoch, { loss: validationLoss.toFixed(4) }),
  });
  bar.stop();
  return fit;
}

function table(rows: DemoRow[], { owners, samples, seed }: DemoOptions): string {
  const head = ['model', 'accuracy', 'together or apart', 'links found', 'order found', 'best epoch', 'seconds'];
  const body = rows.map((row) => [
    row.model,
    row.accuracy.toFixed(3),
    row.auc.toFixed(3),
    row.edges?.toFixed(3) ?? '–',
    row.permutations === undefined ? '–' : `${(100 * row.permutations).toFixed(0)} %`,
    `${row.bestEpoch} of ${row.epochs}`,
    row.seconds.toFixed(1),
  ]);
  const widths = head.map((_, c) => Math.max(...[head, ...body].map((line) => line[c].length)));
  const line = (cells: string[]) =>
    cells.map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c]))).join('  ');
  const title = `Planted problem: ${owners} owners, ${samples} samples, seed ${seed}; scores on the test part`;
  const legend = 'together or apart, links found: ROC AUC, 0.5 is a guess; order found: share of the permutations';
  return [
    '',
    title,
    legend,
    '',
    line(head),
    widths.map((width) => '─'.repeat(width)).join('  '),
    ...body.map(line),
  ].join('\n');
}
