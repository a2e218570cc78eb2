// `f3 demo`: trains three models on planted embeddings and shows what alignment and the consensus graph add.
import { SingleBar } from 'cli-progress';
import { Command } from 'commander';
import { Engine } from '../core/engine.ts';
import { RandomStream } from '../core/random.ts';
import { type Planted, simulatePlanted } from '../data/planted.ts';
import { type FusionConfig, paperPreset } from '../fuse/fusion-config.ts';
import { binaryScores } from '../fuse/scores.ts';
import { type FusionData, predictLogits, probabilityOf, trainFusion } from '../fuse/train-fusion.ts';
import { integerFrom } from './option-values.ts';
import { printResult } from './run-command.ts';

interface DemoOptions {
  owners: number;
  samples: number;
  epochs: number;
  seed: number;
  json?: boolean;
}

interface DemoRow {
  model: string;
  accuracy: number;
  f1: number;
  auc: number;
  epochs: number;
  bestEpoch: number;
  seconds: number;
}

const WIDTH = 8;
const VARIANTS: { model: string; config: Partial<FusionConfig> }[] = [
  { model: 'mean pooling', config: { alignment: 'none', graph: 'none' } },
  { model: 'alignment only', config: { alignment: 'soft', graph: 'none' } },
  { model: 'F³: alignment + graph', config: { alignment: 'soft', graph: 'icdf' } },
];

export function demoCommand(): Command {
  return new Command('demo')
    .description('train a small F³ model on planted embeddings and compare it with simpler ones')
    .option('--owners <n>', 'owners', integerFrom(4, 500), 16)
    .option('--samples <m>', 'samples', integerFrom(100, 100_000), 6000)
    .option('--epochs <n>', 'most epochs per model', integerFrom(1, 10_000), 60)
    .option('--seed <n>', 'seed of data and models', integerFrom(0), 1)
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      `
In every sample some owners raise an alarm: an owner and its neighbours (class 1), or as many owners picked anywhere
(class 0). Each owner's embedding is permuted in its own way. Nobody tells the model who neighbours whom.

Examples:
  f3 demo
  f3 demo --owners 40 --samples 6000 --json`,
    )
    .action(runDemo);
}

async function runDemo(options: DemoOptions): Promise<void> {
  const { owners, samples, seed } = options;
  const planted = simulatePlanted({ owners, samples, width: WIDTH, seed });
  const engine = new Engine();
  const data = loadPlanted(engine, planted, options);
  const rows: DemoRow[] = [];
  for (const { model, config } of VARIANTS) {
    rows.push(fitVariant(engine, data, model, { ...paperPreset, ...config, epochs: options.epochs, seed }));
  }
  await engine.dispose();
  printResult({ owners, samples, seed, rows }, table(rows, options), options.json);
}

function loadPlanted(engine: Engine, planted: Planted, { owners, samples, seed }: DemoOptions): FusionData {
  const order = new RandomStream(seed, 10).permutation(samples);
  const [train, validation] = [Math.floor(samples * 0.7), Math.floor(samples * 0.8)];
  return {
    embeddings: engine.buffer([samples, owners, WIDTH], planted.embeddings),
    labels: planted.labels,
    split: {
      train: order.subarray(0, train),
      validation: order.subarray(train, validation),
      test: order.subarray(validation),
    },
  };
}

function fitVariant(engine: Engine, data: FusionData, model: string, config: FusionConfig): DemoRow {
  const owners = data.embeddings.shape[1];
  const format = `${model.padEnd(22)} {bar} epoch {value}/{total}  validation loss {loss}  {eta_formatted} left`;
  const bar = new SingleBar({ format, stream: process.stderr, noTTYOutput: false, hideCursor: true });
  const start = performance.now();
  bar.start(config.epochs, 0, { loss: '–' });
  const fitted = trainFusion(engine, data, config, { owners, width: WIDTH, classes: 2 }, (report) => {
    bar.update(report.epoch, { loss: report.validationLoss.toFixed(4) });
    return undefined;
  });
  bar.stop();
  const seconds = (performance.now() - start) / 1000;
  const predicted = predictLogits(engine, fitted.model, data.embeddings, data.split.test);
  const labels = Int32Array.from(data.split.test, (row) => data.labels[row]);
  const scores = binaryScores(probabilityOf(1, predicted), labels);
  const { epochs, bestEpoch } = fitted;
  fitted.model.dispose();
  return { model, ...scores, epochs, bestEpoch, seconds };
}

function table(rows: DemoRow[], { owners, samples, seed }: DemoOptions): string {
  const head = ['model', 'accuracy', 'F1', 'ROC AUC', 'best epoch', 'seconds'];
  const body = rows.map((row) => [
    row.model,
    row.accuracy.toFixed(3),
    row.f1.toFixed(3),
    row.auc.toFixed(3),
    `${row.bestEpoch} of ${row.epochs}`,
    row.seconds.toFixed(1),
  ]);
  const widths = head.map((_, c) => Math.max(...[head, ...body].map((line) => line[c].length)));
  const line = (cells: string[]) =>
    cells.map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c]))).join('  ');
  const title = `Planted problem: ${owners} owners, ${samples} samples, seed ${seed}; scores on the test part`;
  return ['', title, '', line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...body.map(line)].join('\n');
}
