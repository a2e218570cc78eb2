// [owner] A worker thread of the grid simulator: claims samples one by one until none is left.
import { answerQuestions, sendReport } from '../../../base/worker-thread.ts';
import type { Grid } from './grid.ts';
import type { Pmu } from './pmu.ts';
import { SampleSimulator, type SampleTruth } from './sample-simulator.ts';

export interface SimulationTask {
  seed: number;
  grid: Grid;
  pmus: Pmu[];
  labels: Int32Array;
  /** Shared. Per owner: [sample, time, variate] */
  windows: Float32Array[];
  /** Shared. [sample, owner]: 1 for whoever records; the worker leaves it at 1 for those who have a window. */
  isPresent: Uint8Array;
  /** Shared. How many samples have been claimed. */
  claimed: Int32Array;
}

/** The truth about a sample, without the networks of its event. */
export interface SampleReport extends Omit<SampleTruth, 'event'> {
  sample: number;
  bus: number;
  detail: Record<string, string | number>;
}

answerQuestions<SimulationTask, void>(async ({ seed, grid, pmus, labels, windows, isPresent, claimed }) => {
  const simulator = new SampleSimulator(seed, grid, pmus);
  for (;;) {
    const sample = Atomics.add(claimed, 0, 1);
    if (sample >= labels.length) return;
    const row = isPresent.subarray(sample * pmus.length, (sample + 1) * pmus.length);
    const recording = row.slice();
    row.fill(0);
    const { event, ...truth } = simulator.simulate(sample, labels[sample], recording, (owner, window) => {
      windows[owner].set(window, sample * window.length);
      row[owner] = 1;
    });
    sendReport<SampleReport>({ sample, bus: event.bus, detail: event.detail, ...truth });
  }
});
