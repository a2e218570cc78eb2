// [owner] The truth behind simulated data (grid, events, electrical distances): for evaluation, never for a model.

import { allInService, EVENT_CLASSES } from './events/events.ts';
import type { Grid } from './grid.ts';
import type { SampleReport } from './grid-worker.ts';
import { electricalDistances } from './network/electrical-distance.ts';
import { KronReduction } from './network/kron-reduction.ts';
import { LoadFlowSolver } from './network/load-flow.ts';
import { averageOperation } from './network/operating-point.ts';
import { steadyState } from './network/steady-state.ts';
import type { Pmu } from './pmu.ts';
import { WINDOW_SECONDS } from './record.ts';
import type { SimulatedSamples } from './simulate-samples.ts';

/** Seconds that an event's transient counts as the event. An oscillation goes on to the end of the record. */
const TRANSIENT_SECONDS = 3;

/** Whether the window overlaps the event in time. */
function isOnEvent(label: number, { eventSecond, windowSecond }: SampleReport): boolean {
  const isOver = windowSecond - eventSecond > TRANSIENT_SECONDS && EVENT_CLASSES[label] !== 'forced-oscillation';
  return windowSecond + WINDOW_SECONDS > eventSecond && !isOver;
}

/** By class: the share of samples whose window is on the event. */
export function shareOnEvent({ labels, reports }: SimulatedSamples): number[] {
  return EVENT_CLASSES.map((_, label) => {
    const own = reports.filter(({ sample }) => labels[sample] === label);
    return own.filter((report) => isOnEvent(label, report)).length / own.length;
  });
}

export function describeGrid(grid: Grid, pmus: readonly Pmu[]): string {
  const buses = grid.buses.map((bus, i) => ({ ...bus, load: grid.loads[2 * i], reactiveLoad: grid.loads[2 * i + 1] }));
  return `${JSON.stringify({ buses, lines: grid.lines, plants: grid.plants, pmus }, null, 1)}\n`;
}

/** The truth about the samples, one line of JSON each. */
export function eventLines(ids: readonly string[], { labels, reports, pmus }: SimulatedSamples): string {
  const lines = reports.map(({ sample, peakOwner, ...rest }) => {
    const onEvent = isOnEvent(labels[sample], reports[sample]);
    return {
      ...rest,
      sample: ids[sample],
      class: EVENT_CLASSES[labels[sample]],
      peakOwner: pmus[peakOwner].owner,
      onEvent,
    };
  });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Electrical distances at an average hour as CSV: a row per bus, a column per owner. */
export function distanceTable(grid: Grid, pmus: readonly Pmu[]): string {
  const buses = grid.buses.length;
  const operation = averageOperation(grid);
  const flow = new LoadFlowSolver(grid.lines, buses, grid.plants).solve(operation);
  const kron = new KronReduction(grid.lines, buses, grid.plants, []);
  kron.use(steadyState(grid, operation, flow).network, allInService(grid));
  const distances = electricalDistances(kron, buses);
  const rows = grid.buses.map((_, from) =>
    [from, ...pmus.map(({ bus }) => distances[from * buses + bus].toPrecision(6))].join(','),
  );
  return `${['bus', ...pmus.map(({ owner }) => owner)].join(',')}\n${rows.join('\n')}\n`;
}
