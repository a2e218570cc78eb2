// [owner] Runs the samples of a plan on worker threads, which write their windows into shared memory.
import { availableParallelism } from 'node:os';
import { untilAborted } from '../../../base/until-aborted.ts';
import { WorkerThread } from '../../../base/worker-thread.ts';
import { drawPresence } from './availability.ts';
import { buildGrid, type Grid } from './grid.ts';
import type { GridPlan } from './grid-presets.ts';
import type { SampleReport, SimulationTask } from './grid-worker.ts';
import { type Pmu, placePmus } from './pmu.ts';
import { gridStream } from './random-streams.ts';
import { WINDOW_SECONDS } from './record.ts';

export interface SimulatedSamples {
  grid: Grid;
  pmus: Pmu[];
  /** [sample] */
  labels: Int32Array;
  /** Per owner: [sample, time, variate]; only where isPresent. */
  windows: Float32Array[];
  /** [sample, owner]: 1 where the owner has a window. */
  isPresent: Uint8Array;
  /** [sample] */
  reports: SampleReport[];
}

export interface SimulationOptions {
  /** Number of threads, by default one per core. */
  workers?: number | undefined;
  onSample?: (done: number) => void;
  signal?: AbortSignal | undefined;
}

export async function simulateSamples(
  plan: GridPlan,
  { workers = availableParallelism(), onSample = () => {}, signal }: SimulationOptions = {},
): Promise<SimulatedSamples> {
  signal?.throwIfAborted();
  const grid = buildGrid(plan.seed, plan.buses, plan.plants);
  const pmus = placePmus(plan.seed, grid, plan.owners, plan.heterogeneous);
  const labels = drawLabels(plan);
  const isPresent = shared(Uint8Array, plan.samples * plan.owners);
  isPresent.set(drawPresence(plan.seed, plan.owners, plan.samples));
  const windows = pmus.map(({ rate, variates }) =>
    shared(Float32Array, plan.samples * rate * WINDOW_SECONDS * variates.length),
  );
  const task: SimulationTask = {
    seed: plan.seed,
    grid,
    pmus,
    labels,
    windows,
    isPresent,
    claimed: shared(Int32Array, 1),
  };
  const reports: SampleReport[] = [];
  let done = 0;
  const onReport = (report: SampleReport) => {
    reports[report.sample] = report;
    onSample(++done);
  };
  const threads = Array.from({ length: Math.min(workers, plan.samples) }, () => startThread(onReport));
  try {
    await untilAborted(Promise.all(threads.map((thread) => thread.ask(task))), signal);
  } finally {
    await Promise.all(threads.map((thread) => thread.dispose()));
  }
  return { grid, pmus, labels, windows, isPresent, reports };
}

function startThread(onReport: (report: SampleReport) => void): WorkerThread<SimulationTask, void, SampleReport> {
  return new WorkerThread(new URL('./grid-worker', import.meta.url), { name: 'f3-grid', onReport });
}

/** Exactly the plan's count of each class, in random order. */
function drawLabels({ seed, samples, classCounts }: GridPlan): Int32Array {
  const inOrder = classCounts.flatMap((count, label) => Array<number>(count).fill(label));
  return Int32Array.from(gridStream(seed, 'classes').permutation(samples), (k) => inOrder[k]);
}

function shared<T>(kind: { new (buffer: SharedArrayBuffer): T; BYTES_PER_ELEMENT: number }, length: number): T {
  return new kind(new SharedArrayBuffer(length * kind.BYTES_PER_ELEMENT));
}
