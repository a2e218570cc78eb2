// The work behind `f3 demo`: three models on planted embeddings, and a table of what each part adds.
import { SingleBar } from 'cli-progress';
import { Engine } from '../core/engine.ts';
import { RandomStream } from '../core/random.ts';
import { type Planted, simulatePlanted } from '../data/planted.ts';
import { type FusionConfig, paperPreset } from '../fuse/fusion-config.ts';
import { GlobalModel } from '../fuse/global-model.ts';
import { predictLogits, softmaxRows } from '../fuse/predict-logits.ts';
import { binaryScores } from '../fuse/scores.ts';
import { type FusionData, trainFusion } from '../fuse/train-fusion.ts';
import { printResult } from './run-command.ts';

export interface DemoOptions {
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

export async function runDemo(options: DemoOptions): Promise<void> {
  const { owners, samples, seed } = options;
  const planted = simulatePlanted({ owners, samples, width: WIDTH, seed });
  const engine = new Engine();
  const data = loadPlanted(engine, planted, options);
  const rows: DemoRow[] = [];
  for (const { model, config } of VARIANTS) {
    rows.push(
      await fitVariant(engine, data, owners, model, { ...paperPreset, ...config, epochs: options.epochs, seed }),
    );
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

async function fitVariant(
  engine: Engine,
  data: FusionData,
  owners: number,
  name: string,
  config: FusionConfig,
): Promise<DemoRow> {
  const format = `${name.padEnd(22)} {bar} epoch {value}/{total}  validation loss {loss}  {eta_formatted} left`;
  // Without a terminal there is no bar: one line per model says that something happens.
  if (!process.stderr.isTTY) process.stderr.write(`training ${name}\n`);
  const bar = new SingleBar({ format, stream: process.stderr, hideCursor: true });
  const start = performance.now();
  bar.start(config.epochs, 0, { loss: '–' });
  const model = new GlobalModel(engine, config, { owners, width: WIDTH, classes: 2 });
  const { epochs, bestEpoch } = await trainFusion(engine, model, data, {
    onEpoch: ({ epoch, validationLoss }) => bar.update(epoch, { loss: validationLoss.toFixed(4) }),
  });
  bar.stop();
  const seconds = (performance.now() - start) / 1000;
  const probabilities = softmaxRows(predictLogits(engine, model, data, data.split.test), 2);
  const labels = Int32Array.from(data.split.test, (row) => data.labels[row]);
  const scores = binaryScores(
    probabilities.filter((_, i) => i % 2 === 1),
    labels,
  );
  model.dispose();
  return { model: name, ...scores, epochs, bestEpoch, seconds };
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
