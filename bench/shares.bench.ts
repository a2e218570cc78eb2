// Fusion on shares at METR-LA size: a training step by phase with its traffic, a whole fit, prediction; three entities in threads of one process.
import { parseArgs } from 'node:util';
import { RandomStream } from '../src/core/random.ts';
import { type FusionConfig, paperPreset } from '../src/fuse/fusion-config.ts';
import { sampledGraphs } from '../src/fuse/on-shares/edge-learner.ts';
import { predictFromShares } from '../src/fuse/on-shares/predict-on-shares.ts';
import { trainOnShares } from '../src/fuse/on-shares/train-on-shares.ts';
import { median, type Row } from './measure.ts';
import { fitOnShares } from './shares-fit.ts';
import { peerSteps } from './shares-peers.ts';
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

/** Words choose jobs by their names: step, prediction, peers, fit. A fit needs `--bundles DIR --labels FILE --split FILE`, and `--fit NAME` names it. */
export async function run(args: string[], say: Say): Promise<Row[]> {
  const text = { type: 'string' } as const;
  const options = { bundles: text, labels: text, split: text, fit: text };
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const jobs: [name: string, job: () => Promise<Row[]>][] = [
    ['step', () => stepByPhase(say)],
    ['prediction', () => predictions()],
    ['peers', () => stepBesidePeers(say)],
    ['fit', () => fitOnShares(values, say)],
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

/** One epoch of `STEPS` steps: how long each took, and what the first entity reports. */
async function trainSteps() {
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
  const reports = await end();
  return { ms: median(times.slice(1)), report: reports[0], cpuMs: reports.map(({ cpuMs }) => cpuMs / STEPS) };
}

async function stepByPhase(say: Say): Promise<Row[]> {
  const { ms, report, cpuMs } = await trainSteps();
  const sent = new Map(report.sent);
  say('  an entity’s own work by phase, last step, ms of its clock (other programs included):');
  const phases = report.times.filter(({ step }) => step === STEPS - 1);
  for (const { what, workMs, waitMs, endMs } of phases) {
    say(`    ${what}: ${(workMs + endMs).toFixed(1)}, waiting ${waitMs.toFixed(1)}`);
  }
  const figures = {
    'cpu ms per entity': cpuMs[0],
    'MB per step to each entity': (sent.get(2) ?? 0) / STEPS / 1e6,
    'MB per step to the coordinator': (sent.get(0) ?? 0) / STEPS / 1e6,
  };
  return [{ job: 'training step on shares, learned graph', oursMs: ms, peers: {}, aim: '≤ 1000 ms', figures }];
}

/** Ours before and after the peers, so that both see the same machine. */
async function stepBesidePeers(say: Say): Promise<Row[]> {
  const first = await trainSteps();
  const sizes = { owners: OWNERS, batch: BATCH, width: WIDTH, hidden: config.hidden, classes: 2 };
  const { peers, figures } = await peerSteps(sizes, say);
  if (Object.keys(peers).length === 0) return [];
  const last = await trainSteps();
  const cpu = [first, last].map(({ cpuMs }) => cpuMs.reduce((sum, own) => sum + own, 0));
  return [
    {
      job: 'training step on shares, beside peers',
      oursMs: (first.ms + last.ms) / 2,
      peers,
      aim: 'SPU slower, SPU ReLU, Adam ≥ 3×, MPyC ≥ 50×',
      figures: { 'cpu ms of all parties': (cpu[0] + cpu[1]) / 2, ...figures },
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
  const time = async (asked: Uint32Array, present?: Uint8Array) => {
    const start = performance.now();
    await predictFromShares(link, { shape: model.shape, graphs, rows: asked, present });
    return performance.now() - start;
  };
  const single: number[] = [];
  for (let i = 0; i < 20; i++) single.push(await time(Uint32Array.of(i)));
  const random = new RandomStream(2, 0);
  const present = new Uint8Array(600 * OWNERS).map(() => (random.uniform() < 0.1 ? 0 : 1));
  const absent: number[] = [];
  for (let i = 0; i < 20; i++) absent.push(await time(Uint32Array.of(i), present));
  const batch = await time(rows);
  await end();
  return [
    { job: 'prediction of one sample, 10 graphs', oursMs: median(single), peers: {}, aim: '≤ 50 ms' },
    { job: 'the same, other owners absent each time', oursMs: median(absent), peers: {}, aim: '≤ 50 ms' },
    {
      job: 'prediction of 600 samples, 10 graphs',
      oursMs: batch,
      peers: {},
      aim: '≥ 100/s',
      figures: { 'per second': 600_000 / batch },
    },
  ];
}
