// The numerical core beside PyTorch and TensorFlow.js: training steps, an LSTM epoch, a matrix product, peak memory.
import { execFileSync } from 'node:child_process';
import { lstmEpoch, matrixProduct, multiplyAddPeak, type OurJob, trainingStep } from './core-jobs.ts';
import { median, type Row, timed } from './measure.ts';
import { Peer, startPyTorch, startTfjs } from './peer.ts';

interface Job {
  name: string;
  aim?: string;
  ours: () => OurJob;
  /** Name of the job in the peers' programs. Without one, only ours runs. */
  peerJob?: string;
  params?: Record<string, number>;
  /** Rounds in which ours and theirs take turns. */
  rounds?: number;
  /** Runs of ours per round. */
  repeat?: number;
  tfjs?: boolean;
}

const ICDF = { graph: 'icdf' } as const;
const GUMBEL = { graph: 'gumbel' } as const;

const steps: Job[] = [
  {
    name: 'step, ICDF, graph per batch',
    aim: '≥ 6× PyTorch',
    ours: () => trainingStep({ config: { ...ICDF, graphsPer: 'batch' } }),
    peerJob: 'step-icdf-batch',
    tfjs: true,
  },
  {
    name: 'step, ICDF, graph per example',
    aim: '≥ 5× PyTorch',
    ours: () => trainingStep({ config: { ...ICDF, graphsPer: 'example' } }),
    peerJob: 'step-icdf-example',
    tfjs: true,
  },
  {
    name: 'step, Gumbel, graph per example',
    aim: '≥ 5× PyTorch',
    ours: () => trainingStep({ config: { ...GUMBEL, graphsPer: 'example' } }),
    peerJob: 'step-gumbel-example',
    tfjs: true,
  },
  {
    name: 'step, Gumbel, graph per batch',
    ours: () => trainingStep({ config: { ...GUMBEL, graphsPer: 'batch' } }),
    peerJob: 'step-gumbel-batch',
  },
  {
    name: 'LSTM epoch of one owner, 1 thread',
    aim: '≥ 5× PyTorch',
    ours: lstmEpoch,
    peerJob: 'lstm-epoch',
    tfjs: true,
  },
  {
    name: 'matrix product 207×207×800, 1 thread',
    ours: matrixProduct,
    peerJob: 'matmul',
    params: { threads: 1 },
    repeat: 20,
    tfjs: true,
  },
];

const growth: Job[] = [43, 207, 325, 1000, 2000].flatMap((n) =>
  (['batch', 'example'] as const).map((graphsPer) => ({
    name: `growth, ICDF, graph per ${graphsPer}, n = ${n}`,
    ours: () => trainingStep({ config: { ...ICDF, graphsPer }, n, samples: 100 }),
    rounds: n >= 1000 ? 2 : 5,
    repeat: n >= 1000 ? 1 : 3,
  })),
);

export async function run(wanted: string[], say: (text: string) => void): Promise<Row[]> {
  const peers: Peers = {
    pytorch: await startPyTorch('pytorch_plain_peer.py'),
    'pytorch tuned': await startPyTorch(),
    tfjs: await startTfjs(),
  };
  for (const peer of Object.values(peers)) say(peer instanceof Peer ? describe(peer) : peer);
  const rows: Row[] = [];
  const asked = (name: string) => wanted.length === 0 || wanted.some((word) => name.includes(word));
  for (const job of [...steps, ...growth].filter((j) => asked(j.name))) {
    say(job.name);
    rows.push(await compare(job, peers, say));
  }
  for (const [name, peerJob] of [
    ['peak memory, five epochs, ICDF per example', 'epochs-icdf-example'],
    ['peak memory, five epochs, Gumbel per example', 'epochs-gumbel-example'],
  ]) {
    if (!asked(name)) continue;
    say(name);
    rows.push(peakMemory(name, peerJob, peers['pytorch tuned']));
  }
  if (asked('matrix product')) rows.push(shareOfPeak(rows));
  for (const peer of Object.values(peers)) if (peer instanceof Peer) peer.stop();
  return rows;
}

function describe({ hello }: Peer): string {
  return [hello.peer, hello.version, hello.threads && `${hello.threads} threads`, hello.blas]
    .filter(Boolean)
    .join(', ');
}

/**
 * OpenMP and OpenBLAS threads keep polling for work after a job. Without a pause, whoever is timed next pays for that.
 */
const pause = () => new Promise((resolve) => setTimeout(resolve, 150));

/**
 * PyTorch written as the paper reads, PyTorch tuned as far as we could, TensorFlow.js; a text says why one is missing.
 */
type Peers = Record<'pytorch' | 'pytorch tuned' | 'tfjs', Peer | string>;

/**
 * Milliseconds of untimed runs at the start of a turn, on either side. They wake threads, caches and clock, as training
 * does.
 */
const REWARM_MS = 150;

/** Rounds, and runs per round, of each peer. TensorFlow.js is so slow that it gets fewer. */
const EFFORT = { pytorch: [7, 3], 'pytorch tuned': [7, 3], tfjs: [3, 1] } as const;

async function compare(job: Job, peers: Peers, say: (text: string) => void): Promise<Row> {
  const { run: once, engine } = job.ours();
  const rounds = job.rounds ?? 7;
  const repeat = job.repeat ?? 5;
  const ours: number[] = [];
  const theirs: Record<string, number[]> = {};
  // V8 compiles the kernels in tiers, so the first runs are slower than training.
  for (let i = 0; i < 8; i++) once();
  for (let round = 0; round < rounds; round++) {
    const turn = performance.now();
    while (performance.now() - turn < REWARM_MS) once();
    for (let i = 0; i < repeat; i++) ours.push(timed(once));
    await pause();
    for (const [name, peer] of Object.entries(peers) as [keyof Peers, Peer | string][]) {
      const [most, runs] = EFFORT[name];
      if (!job.peerJob || !(peer instanceof Peer) || round >= most || (name === 'tfjs' && !job.tfjs)) continue;
      // They warm up for as long as ours, judged by their last turn.
      const rewarm = name === 'tfjs' ? 0 : Math.ceil(REWARM_MS / (theirs[name]?.at(-1) ?? REWARM_MS));
      const answer = await peer.run(job.peerJob, rewarm + runs, job.params);
      if (answer.error && round === 0) say(`  ${name}: ${answer.error}`);
      if (answer.ms) theirs[name] = [...(theirs[name] ?? []), ...answer.ms.slice(rewarm)];
      await pause();
    }
  }
  await engine.dispose();
  const oursMs = median(ours);
  const medians = Object.fromEntries(Object.entries(theirs).map(([name, ms]) => [name, median(ms)]));
  const ratio = medians.pytorch / oursMs;
  const tunedRatio = medians['pytorch tuned'] / oursMs;
  return {
    job: job.name,
    oursMs,
    peers: medians,
    ...(ratio && { ratio }),
    ...(tunedRatio && { tunedRatio }),
    ...(job.aim && { aim: job.aim }),
  };
}

/** Five epochs of METR-LA size in a process of their own, on each side. */
function peakMemory(name: string, peerJob: string, pytorch: Peer | string): Row {
  const script = new URL('./peak-memory.ts', import.meta.url).pathname;
  const relaxation = peerJob.includes('gumbel') ? 'gumbel' : 'icdf';
  const ours = JSON.parse(execFileSync(process.execPath, [script, relaxation], { encoding: 'utf8' }));
  const peers: Record<string, number> = {};
  const aim = relaxation === 'icdf' ? '≤ 300 MB' : undefined;
  const row: Row = { job: name, oursMs: ours.ms, peers, peakMb: ours.peakMb, ...(aim && { aim }) };
  if (!(pytorch instanceof Peer)) return row;
  const peer = new URL('./peers/pytorch_peer.py', import.meta.url).pathname;
  const theirs = JSON.parse(execFileSync(pytorch.command, [peer, '--once', peerJob], { encoding: 'utf8' }));
  const theirMs = [theirs.ms].flat()[0];
  const peersPeakMb = { 'pytorch tuned': theirs.peakMb };
  return { ...row, peers: { 'pytorch tuned': theirMs }, tunedRatio: theirMs / ours.ms, peersPeakMb };
}

/** The matrix product as a share of the multiply-adds that this machine can do. */
function shareOfPeak(rows: Row[]): Row {
  const { engine } = matrixProduct();
  const peak = multiplyAddPeak(engine);
  const product = rows.find((row) => row.job.startsWith('matrix product'));
  const flops = product ? (2 * 207 * 207 * 800) / (product.oursMs / 1000) : Number.NaN;
  const gflops = (value: number) => (value / 1e9).toFixed(1);
  const job = `matrix product: ${gflops(flops)} of ${gflops(peak)} GFLOP/s = ${((100 * flops) / peak).toFixed(0)} % of peak`;
  return { job, oursMs: product?.oursMs ?? Number.NaN, peers: {}, aim: '≥ 60 % of peak' };
}
