// Fusion at METR-LA size: an epoch of row K beside PyTorch, a full fit, prediction, refit of one owner, peak memory.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { Engine } from '../src/core/engine/engine.ts';
import { embedOwner } from '../src/embed/embed-owner.ts';
import { paperOwnerPreset } from '../src/embed/owner-preset.ts';
import { trainOwner } from '../src/embed/train-owner.ts';
import { writeBundle } from '../src/exchange/bundle/bundle-file.ts';
import { listBundles } from '../src/exchange/bundle/bundle-folder.ts';
import {
  type EpochTimes,
  fusionEpochs,
  PREDICTED,
  predictionFromMemory,
  writeRandomBundles,
  writeUntrainedModel,
} from './fuse-jobs.ts';
import type { FitFiles, FuseTask } from './fuse-process.ts';
import { median, type Row, timed } from './measure.ts';
import { Peer, startPyTorch } from './peer.ts';

type Say = (text: string) => void;

/**
 * Words choose jobs by their names. `--bundles DIR --labels FILE --split FILE` (or F3_BUNDLES, F3_LABELS, F3_SPLIT)
 * name METR-LA's bundles for the fit; the refit also needs the owners' windows, in the data set that the labels lie in.
 */
export async function run(args: string[], say: Say): Promise<Row[]> {
  const text = { type: 'string' } as const;
  const options = { bundles: text, labels: text, split: text };
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const work = mkdtempSync(join(tmpdir(), 'f3-fuse-'));
  const jobs: [name: string, job: () => Promise<Row[]>][] = [
    ['epoch', () => compareEpochs(say)],
    ['prediction from memory', async () => [await fromMemory('mean'), await fromMemory(10)]],
    ['prediction from bundles', () => fromBundles(work)],
    ['fit and refit', () => fits(filesOf(values), work, say)],
  ];
  const rows: Row[] = [];
  try {
    for (const [name, job] of jobs) {
      if (positionals.length > 0 && !positionals.some((word) => name.includes(word))) continue;
      say(name);
      rows.push(...(await job()));
    }
  } finally {
    rmSync(work, { recursive: true });
  }
  return rows;
}

/**
 * Rounds in which ours and theirs take turns. The first epoch of a turn wakes threads, caches and clock and is not
 * counted.
 */
const ROUNDS = 5;
const EPOCHS_PER_TURN = 3;

async function compareEpochs(say: Say): Promise<Row[]> {
  const variants = { pytorch: 'plain', 'pytorch tuned': 'tuned' } as const;
  const peers: Record<string, Peer> = {};
  for (const [name, variant] of Object.entries(variants)) {
    const peer = await startPyTorch('pytorch_fuse_peer.py', [variant]);
    if (peer instanceof Peer) peers[name] = peer;
    else say(peer);
  }
  const rows: Row[] = [];
  for (const graphsPer of ['example', 'batch'] as const) {
    const { engine, run: train } = fusionEpochs(graphsPer);
    const threads = engine.threads.count;
    const times: Record<string, EpochTimes> = {};
    const keep = (who: string, { ms, cpuMs }: EpochTimes) => {
      const before = times[who] ?? { ms: [], cpuMs: [] };
      times[who] = { ms: [...before.ms, ...ms.slice(1)], cpuMs: [...before.cpuMs, ...cpuMs.slice(1)] };
    };
    for (let round = 0; round < ROUNDS; round++) {
      say(`  graph per ${graphsPer}, round ${round + 1} of ${ROUNDS}`);
      keep('ours', await train(1 + EPOCHS_PER_TURN));
      await pause();
      for (const [name, peer] of Object.entries(peers)) {
        const answer = await peer.run(`epoch-icdf-${graphsPer}`, 1 + EPOCHS_PER_TURN, { threads });
        if (answer.error) throw new Error(`${name}: ${answer.error}`);
        keep(name, answer as unknown as EpochTimes);
        await pause();
      }
    }
    await engine.dispose();
    rows.push(epochRow(graphsPer, threads, times));
  }
  for (const peer of Object.values(peers)) peer.stop();
  return rows;
}

/**
 * With clock and processor times: on a busy machine, with one thread each, the ratio of processor times is the better
 * guide.
 */
function epochRow(graphsPer: string, threads: number, { ours, ...theirs }: Record<string, EpochTimes>): Row {
  const oursMs = median(ours.ms);
  const peers = Object.fromEntries(Object.entries(theirs).map(([name, { ms }]) => [name, median(ms)]));
  const cpu = Object.entries(theirs).map(([name, { cpuMs }]) => [`${name} cpu ms`, median(cpuMs)]);
  const [ratio, tunedRatio] = [peers.pytorch / oursMs, peers['pytorch tuned'] / oursMs];
  return {
    job: `epoch with validation, ICDF, graph per ${graphsPer}`,
    oursMs,
    peers,
    ...(ratio && { ratio }),
    ...(tunedRatio && { tunedRatio }),
    ...(graphsPer === 'example' && { aim: '≥ 5× PyTorch' }),
    figures: { threads, 'cpu ms': median(ours.cpuMs), ...Object.fromEntries(cpu) },
  };
}

/** OpenMP threads keep polling for work after a job. Without a pause, whoever is timed next pays for that. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 150));

const graphNames = { mean: 'mean graph', 10: '10 sampled graphs' } as const;
const perSecond = (ms: number) => Math.round(PREDICTED / (ms / 1000));

async function fromMemory(graphs: 'mean' | 10): Promise<Row> {
  const { engine, run: predict } = predictionFromMemory(graphs);
  predict();
  const oursMs = median(Array.from({ length: graphs === 'mean' ? 9 : 3 }, () => timed(predict)));
  await engine.dispose();
  return {
    job: `prediction of ${PREDICTED} samples in memory, ${graphNames[graphs]}`,
    oursMs,
    peers: {},
    ...(graphs === 'mean' && { aim: '≤ 1 s' }),
    figures: { 'samples/s': perSecond(oursMs) },
  };
}

/** Medians of three predictions, each in a process of its own and timed from its start to the encoded answer. */
async function fromBundles(work: string): Promise<Row[]> {
  const [bundles, model] = [join(work, 'bundles'), join(work, 'untrained')];
  writeRandomBundles(bundles);
  await writeUntrainedModel(model);
  const rows: Row[] = [];
  for (const graphs of ['mean', 10] as const) {
    const task: FuseTask = { task: 'predict', model, bundles: [bundles], graphs };
    const runs: { ms: number; readMs: number; cpuSeconds: number; peakMb: number }[] = [];
    for (let i = 0; i < 3; i++) runs.push(await inProcess(task));
    const oursMs = median(runs.map(({ ms }) => ms));
    rows.push({
      job: `prediction of ${PREDICTED} samples from 207 bundles, ${graphNames[graphs]}`,
      oursMs,
      peers: {},
      peakMb: Math.max(...runs.map(({ peakMb }) => peakMb)),
      ...(graphs === 'mean' && { aim: '≤ 1 s, ≤ 400 MB' }),
      figures: {
        'samples/s': perSecond(oursMs),
        'until read ms': median(runs.map(({ readMs }) => readMs)),
        'cpu ms': 1000 * median(runs.map(({ cpuSeconds }) => cpuSeconds)),
      },
    });
  }
  rmSync(bundles, { recursive: true });
  return rows;
}

interface Fit {
  epochs: number;
  bestEpoch: number;
  seconds: number;
  f1: number;
  auc: number;
}

async function fits(files: FitFiles | string, work: string, say: Say): Promise<Row[]> {
  if (typeof files === 'string') {
    say(`  skipped: ${files}`);
    return [];
  }
  const model = join(work, 'model');
  const fit = await inProcess<Fit & { ms: number; cpuSeconds: number; peakMb: number }>({
    task: 'fit',
    out: model,
    ...files,
  });
  const { ms: oursMs, cpuSeconds, peakMb: fitMb } = fit;
  const row = fitRow('fit of row K, from bundles to model', fit);
  const figures = { ...row.figures, 'cpu s': cpuSeconds };
  const rows: Row[] = [{ ...row, oursMs, peakMb: fitMb, aim: '≤ 120 s, ≤ 400 MB', figures }];
  const changed = await retrainOne(files, work);
  if (typeof changed === 'string') {
    say(`  refit skipped: ${changed}`);
    return rows;
  }
  const { stale, alone, full, peakMb } = await inProcess<{
    stale: { f1: number; auc: number };
    alone: Fit;
    full: Fit;
    peakMb: number;
  }>({ task: 'refit', model, ...changed });
  rows.push({ job: `owner ${changed.owner} retrained, nothing refitted`, oursMs: 0, peers: {}, figures: stale });
  rows.push({ ...fitRow(`owner ${changed.owner} retrained, its alignment refitted`, alone), peakMb });
  rows.push(fitRow(`owner ${changed.owner} retrained, everything refitted`, full));
  return rows;
}

function fitRow(job: string, { epochs, bestEpoch, seconds, f1, auc }: Fit): Row {
  const figures = { epochs, 'best epoch': bestEpoch, 'ms/epoch': (seconds * 1000) / epochs, f1, auc };
  return { job, oursMs: seconds * 1000, peers: {}, figures };
}

/** Lets the owner in the middle of the list train again with another seed and send a new bundle. */
async function retrainOne(files: FitFiles, work: string): Promise<(FitFiles & { owner: string }) | string> {
  const bundles = listBundles(files.bundles);
  const at = Math.floor(bundles.length / 2);
  const owner = basename(bundles[at], '.arrow');
  const folder = join(dirname(files.labels), 'owners', owner);
  if (!existsSync(folder)) return `needs the windows of owner ${owner} in ${folder}`;
  const copy = join(work, owner);
  cpSync(folder, copy, { recursive: true });
  const engine = new Engine();
  await trainOwner(engine, copy, { ...paperOwnerPreset, seed: 1 }, { force: true });
  const embedded = await embedOwner(engine, copy);
  await engine.dispose();
  const file = join(work, `${owner}.arrow`);
  writeBundle(file, { ...embedded, sampleType: 'text' });
  return { ...files, owner, bundles: bundles.with(at, file) };
}

function filesOf(given: { bundles?: string; labels?: string; split?: string }): FitFiles | string {
  const { F3_BUNDLES, F3_LABELS, F3_SPLIT } = process.env;
  const { bundles = F3_BUNDLES, labels = F3_LABELS, split = F3_SPLIT } = given;
  if (bundles && labels && split) return { bundles: [bundles], labels, split };
  return 'needs --bundles DIR --labels FILE --split FILE (or F3_BUNDLES, F3_LABELS, F3_SPLIT)';
}

async function inProcess<T extends object>(task: FuseTask): Promise<T> {
  const script = new URL('./fuse-process.ts', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(task)]);
  return JSON.parse(stdout) as T;
}
