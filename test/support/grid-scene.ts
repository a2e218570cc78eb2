// A small grid at an average hour, solved and reduced, with which tests of the grid simulator start.
import { allInService, type EventScene } from '../../src/data/simulate/grid/events/events.ts';
import { buildGrid } from '../../src/data/simulate/grid/grid.ts';
import {
  type Channel,
  KronReduction,
  type ReducedNetwork,
} from '../../src/data/simulate/grid/network/kron-reduction.ts';
import { type LoadFlow, LoadFlowSolver } from '../../src/data/simulate/grid/network/load-flow.ts';
import { averageOperation, type OperatingPoint } from '../../src/data/simulate/grid/network/operating-point.ts';
import { steadyState } from '../../src/data/simulate/grid/network/steady-state.ts';

export interface SolvedScene extends EventScene {
  operation: OperatingPoint;
  flow: LoadFlow;
  channels: Channel[];
  reduced: ReducedNetwork;
}

/** The channels are the voltage of every bus, then the current of every line at its first end. */
export function solvedScene(seed: number, buses = 60, plants = 12): SolvedScene {
  const grid = buildGrid(seed, buses, plants);
  const channels: Channel[] = [
    ...grid.buses.map((_, bus) => ({ kind: 'voltage', bus }) as const),
    ...grid.lines.map((_, line) => ({ kind: 'current', line, end: 'from' }) as const),
  ];
  const operation = averageOperation(grid);
  const flow = new LoadFlowSolver(grid.lines, buses, grid.plants).solve(operation);
  const state = steadyState(grid, operation, flow);
  const kron = new KronReduction(grid.lines, buses, grid.plants, channels);
  kron.use(state.network, allInService(grid));
  return { grid, operation, flow, state, kron, channels, reduced: kron.reduce() };
}
