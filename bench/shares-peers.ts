// The training step of `npm run bench -- shares` in SecretFlow SPU and in MPyC, when F3_PYTHON is a Python that has them (experiments/shares/README.md).
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { median } from './measure.ts';
import { Peer, type PeerAnswer } from './peer.ts';

/** Sizes of a step. */
export interface StepSizes {
  owners: number;
  batch: number;
  width: number;
  hidden: number;
  classes: number;
}

/** Milliseconds of each peer, and other figures. */
export interface PeerTimes {
  peers: Record<string, number>;
  figures: Record<string, number>;
}

/** Our step goes on at full precision; SPU's default is 64 bits with 18 after the point, and 128 with 24 is as precise as ours. */
const SPU_JOBS = [
  { name: 'SPU', job: 'quadratic', field: 'FM64', bits: 18 },
  { name: 'SPU 128 bit', job: 'quadratic', field: 'FM128', bits: 24 },
  { name: 'SPU ReLU, Adam', job: 'relu-adam', field: 'FM64', bits: 18 },
] as const;
/** MPyC computes a small step; its time grows at least with the owners' samples, and with their products in part. */
const MPYC_SIZES = { owners: 20, batch: 20 } as const;

const script = (file: string): string => new URL(`../experiments/shares/peers/${file}`, import.meta.url).pathname;

export async function peerSteps(sizes: StepSizes, say: (text: string) => void): Promise<PeerTimes> {
  const python = process.env.F3_PYTHON;
  if (!python) {
    say('  peers skipped: F3_PYTHON must name a Python with spu, jax and mpyc (experiments/shares/README.md)');
    return { peers: {}, figures: {} };
  }
  const times: PeerTimes = { peers: {}, figures: {} };
  const add = (name: string, { ms, error, ...rest }: PeerAnswer, factor = 1) => {
    if (error || !ms) return say(`  ${name} skipped: ${error ?? 'it gave no time'}`);
    times.peers[name] = median(ms) * factor;
    if (typeof rest.cpuMs === 'number') times.figures[`cpu ms of all parties, ${name}`] = rest.cpuMs * factor;
  };
  await addSpu(python, sizes, add, say);
  const small = { ...sizes, ...MPYC_SIZES };
  const factor = (sizes.owners * sizes.batch) / (small.owners * small.batch);
  say(`  MPyC: ${small.owners} owners, batch ${small.batch}; times ${factor.toFixed(1)}, at the least`);
  add('MPyC, at least', await mpycStep(python, small), factor);
  return times;
}

async function addSpu(
  python: string,
  sizes: StepSizes,
  add: (name: string, answer: PeerAnswer) => void,
  say: (text: string) => void,
): Promise<void> {
  const spu = await Peer.start(python, [script('spu_step.py')]);
  if (typeof spu === 'string') return say(`  SPU skipped: ${spu}`);
  for (const { name, job, field, bits } of SPU_JOBS) {
    say(`  ${name} ${spu.hello.version}`);
    add(name, await spu.run(job, 2, { field, bits, sizes }));
  }
  spu.stop();
}

async function mpycStep(python: string, { owners, batch, width, hidden, classes }: StepSizes): Promise<PeerAnswer> {
  const numbers = [owners, batch, width, hidden, classes].map(String);
  try {
    const { stdout } = await promisify(execFile)(python, [script('mpyc_step.py'), '-M3', '--no-log', ...numbers]);
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as PeerAnswer;
  } catch (error) {
    return { error: (error as Error).message.split('\n')[0] };
  }
}
