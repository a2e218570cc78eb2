// Fusion on shares at METR-LA size: a training step by phase with its traffic, a whole fit, prediction; three entities in threads of one process.
import { parseArgs } from 'node:util';
import { Engine } from '../src/core/engine/engine.ts';
import { RandomStream } from '../src/core/random.ts';
import { softmaxRows } from '../src/core/softmax-rows.ts';
import { countBundles } from '../src/exchange/bundle/bundle-sources.ts';
import { readLabels } from '../src/exchange/labels/label-sources.ts';
import { readSplit } from '../src/exchange/labels/split-sources.ts';
import { addBundles } from '../src/facade/read-bundles.ts';
import { type FusionConfig, paperPreset } from '../src/fuse/fusion-config.ts';
import { InputAssembly } from '../src/fuse/join/fusion-input.ts';
import { sampledGraphs } from '../src/fuse/on-shares/edge-learner.ts';
import { predictFromShares } from '../src/fuse/on-shares/predict-on-shares.ts';
import { trainOnShares } from '../src/fuse/on-shares/train-on-shares.ts';
import { scores } from '../src/fuse/scores/scores.ts';
import { median, type Row } from './measure.ts';
import { startShares } from './shares-scene.ts';

type Say = (text: string) => void;

const [OWNERS, WIDTH, BATCH] = [207, 16, 100];
const STEPS = 6;

/** What can be computed on shares, nearest to the paper's choices. */
const config: FusionConfig = {
  ...paperPreset,
  activation: 'quadratic',
  optimizer: 'sgd',
  learningRate: 0.1,
  graphsPer: 'batch',
};

/** Words choose jobs by their names: step, prediction, fit. A fit needs `--bundles DIR --labels FILE --split FILE`. */
export async function run(args: string[], say: Say): Promise<Row[]> {
  const text = { type: 'string' } as const;
  const options = { bundles: text, labels: text, split: text, epochs: text, patience: text };
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const jobs: [name: string, job: () => Promise<Row[]>][] = [
    ['step', () => stepByPhase(say)],
    ['prediction', () => predictions()],
    ['fit', () => fitFromBundles(values, say)],
  ];
  const rows: Row[] = [];
  for (const [name, job] of jobs) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    say(name);
    rows.push(...(await job()));
  }
  return rows;
}

function randomData(samples: number) {
  const random = new RandomStream(1, 0);
  const labels = Int32Array.from({ length: samples }, () => random.integer(2));
  const embeddings = new Float32Array(samples * OWNERS * WIDTH);
  random.fillUniform(embeddings, -1, 1);
  return { labels, embeddings };
}

async function stepByPhase(say: Say): Promise<Row[]> {
  const samples = STEPS * BATCH;
  const { labels, embeddings } = randomData(samples + 1);
  const { engine, link, end } = startShares(embeddings, OWNERS, WIDTH);
  const train = Uint32Array.from({ length: samples }, (_, i) => i);
  const split = { train, validation: Uint32Array.of(samples), test: new Uint32Array() };
  const times: number[] = [];
  let before = performance.now();
  const onStep = () => {
    times.push(performance.now() - before);
    before = performance.now();
  };
  const shape = { owners: OWNERS, width: WIDTH, classes: 2 };
  await trainOnShares(engine, link, { ...config, epochs: 1 }, shape, { labels, split }, { onStep });
  const [report] = await end();
  const sent = new Map(report.sent);
  say('  an entity’s own work by phase, last step, ms of its clock (other programs included):');
  const phases = report.times.filter(({ step }) => step === STEPS - 1);
  for (const { what, workMs, waitMs, endMs } of phases) {
    say(`    ${what}: ${(workMs + endMs).toFixed(1)}, waiting ${waitMs.toFixed(1)}`);
  }
  const figures = {
    'cpu ms per entity': report.cpuMs / STEPS,
    'MB per step to each entity': (sent.get(2) ?? 0) / STEPS / 1e6,
    'MB per step to the coordinator': (sent.get(0) ?? 0) / STEPS / 1e6,
  };
  return [
    {
      job: 'training step on shares, learned graph',
      oursMs: median(times.slice(1)),
      peers: {},
      aim: '≤ 1000 ms',
      figures,
    },
  ];
}

async function predictions(): Promise<Row[]> {
  const { labels, embeddings } = randomData(600);
  const { engine, link, end } = startShares(embeddings, OWNERS, WIDTH);
  const rows = Uint32Array.from({ length: 600 }, (_, i) => i);
  const split = { train: rows.subarray(0, BATCH), validation: rows.subarray(0, 1), test: rows };
  const shape = { owners: OWNERS, width: WIDTH, classes: 2 };
  const model = await trainOnShares(engine, link, { ...config, epochs: 1 }, shape, { labels, split });
  const graphs = sampledGraphs(engine, config, OWNERS, model.theta as Float32Array, 10);
  const time = async (asked: Uint32Array) => {
    const start = performance.now();
    await predictFromShares(link, { shape: model.shape, graphs, rows: asked });
    return performance.now() - start;
  };
  const single: number[] = [];
  for (let i = 0; i < 20; i++) single.push(await time(Uint32Array.of(i)));
  const batch = await time(rows);
  await end();
  return [
    { job: 'prediction of one sample, 10 graphs', oursMs: median(single), peers: {}, aim: '≤ 50 ms' },
    {
      job: 'prediction of 600 samples, 10 graphs',
      oursMs: batch,
      peers: {},
      aim: '≥ 100/s',
      figures: { 'per second': 600_000 / batch },
    },
  ];
}

interface FitArguments {
  bundles?: string | undefined;
  labels?: string | undefined;
  split?: string | undefined;
  epochs?: string | undefined;
  patience?: string | undefined;
}

async function fitFromBundles(
  { bundles, labels: labelFile, split: splitFile, epochs = '60', patience = '20' }: FitArguments,
  say: Say,
): Promise<Row[]> {
  if (!bundles || !labelFile || !splitFile) {
    say('  skipped: needs --bundles DIR --labels FILE --split FILE');
    return [];
  }
  const reader = new Engine({ threads: 1 });
  const labels = await readLabels(labelFile);
  const ids = await readSplit(splitFile, labels.samples);
  const assembly = new InputAssembly(reader, { labels, split: ids, expected: countBundles([bundles]) });
  await addBundles([bundles], assembly, {});
  const { joined, split } = assembly.finish();
  const { owners, width } = joined;
  const values = joined.embeddings.data.slice();
  const present = joined.isComplete ? undefined : joined.present.data.slice();
  await reader.dispose();
  const start = performance.now();
  const { engine, link, end } = startShares(values, owners.length, width);
  const whole = { ...config, epochs: Number(epochs), patience: Number(patience) };
  const shape = { owners: owners.length, width, classes: labels.classes.length };
  const data = { labels: labels.labels, split, present };
  const model = await trainOnShares(engine, link, whole, shape, data, {
    onEpoch: ({ epoch, trainLoss, validationLoss }) => {
      const minutes = ((performance.now() - start) / 60_000).toFixed(1);
      say(`  epoch ${epoch}: train ${trainLoss.toFixed(4)}, validation ${validationLoss.toFixed(4)}, ${minutes} min`);
    },
  });
  const graphs = sampledGraphs(engine, whole, owners.length, model.theta as Float32Array, 10);
  const logits = await predictFromShares(link, { shape: model.shape, graphs, rows: split.test, present });
  const oursMs = performance.now() - start;
  const truth = Int32Array.from(split.test, (row) => labels.labels[row]);
  const { f1, auc } = scores(softmaxRows(logits, shape.classes), truth, shape.classes);
  const reports = await end();
  const cpuSeconds = reports.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / 1000;
  const figures = { f1, auc, epochs: model.epochs, 'best epoch': model.bestEpoch, 'cpu s of all entities': cpuSeconds };
  return [{ job: `fit on shares, ${owners.length} owners`, oursMs, peers: {}, aim: '≤ 20 min', figures }];
}
