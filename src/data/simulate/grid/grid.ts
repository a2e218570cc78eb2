// [owner] The grid: topology, loads and power plants, reinforced as a planner would until it carries its heaviest hour.
import type { RandomStream } from '../../../core/random.ts';
import { bridges, buildTopology, lineOf, type Topology } from './network/grid-topology.ts';
import { KronReduction } from './network/kron-reduction.ts';
import { type LoadFlow, LoadFlowSolver } from './network/load-flow.ts';
import { slowestModes } from './network/mode-shapes.ts';
import { heaviestOperation, type OperatingPoint } from './network/operating-point.ts';
import { steadyState } from './network/steady-state.ts';
import { between, gridStream } from './random-streams.ts';

export interface Plant {
  bus: number;
  /** Capacity, per unit on 100 MVA. */
  rating: number;
  /** Number of equal machines. A trip takes one of them. */
  units: number;
  /** Transient reactance behind which the internal voltage is constant, step-up transformer included. */
  reactance: number;
  /** H in seconds on 100 MVA: stored energy at rated speed over the base power. */
  inertia: number;
  /** Torque per unit of speed against the mean speed of all (damper windings, stabilisers). */
  damping: number;
  /** Torque per unit of speed against rated speed (loads and turbine that feel the frequency). */
  selfRegulation: number;
  /** Governor: power per unit of speed, 0 when it does not take part, and its time constant in seconds. */
  governorGain: number;
  governorSeconds: number;
  /** Bus voltage that it holds in the load flow when it makes no reactive power (see REACTIVE_DROOP). */
  voltage: number;
}

export interface Grid extends Topology {
  /** [bus, p/q], per unit: the load of an average hour. */
  loads: Float64Array;
  plants: Plant[];
  /** [line]: whether the grid would fall apart without it. */
  isBridge: boolean[];
}

const MEAN_LOAD = 1.6;
const UNLOADED_SHARE = 0.15;
const CAPACITY_MARGIN = 1.35;
const REGION_SURPLUS = 0.15;
const LEAST_RATING = 1;
const UNIT_RATING = 4;
/** Where more circuits do not help, loads and plants shrink by this factor. */
const LOAD_CUT = 0.9;
/** In the heaviest hour, no voltage is below the first and no angle across a line (radians) above the second. */
const LEAST_VOLTAGE = 0.95;
const MAX_LINE_ANGLE = 0.35;
const LEAST_SWING_HERTZ = 0.2;
const MAX_CIRCUITS = 4;
const MAX_PLANNING_ROUNDS = 100;

export function buildGrid(seed: number, buses: number, plants: number): Grid {
  const topology = buildTopology(gridStream(seed, 'topology'), buses);
  const equipment = equip(seed, topology, plants);
  let grid: Grid = { ...topology, ...equipment, isBridge: bridges(buses, topology.lines) };
  for (let round = 0; round < MAX_PLANNING_ROUNDS; round++) {
    const operation = heaviestOperation(grid);
    const flow = new LoadFlowSolver(grid.lines, buses, grid.plants).solve(operation);
    const isWeak = weakLines(grid, flow);
    const isBuildable = grid.lines.some(({ circuits }, k) => isWeak[k] && circuits < MAX_CIRCUITS);
    if (flow.converged && isBuildable) grid = reinforced(grid, isWeak);
    else if (flow.converged && !isWeak.includes(true) && isStiff(grid, operation, flow)) return grid;
    else grid = { ...grid, ...scaled(grid, LOAD_CUT) };
  }
  throw new Error(`grid of ${buses} buses, seed ${seed}: no sound load flow after ${MAX_PLANNING_ROUNDS} rounds`);
}

/** Lines that deserve another circuit: a wide angle across them, or leading to the bus with the lowest voltage. */
function weakLines(grid: Grid, flow: LoadFlow): boolean[] {
  const lowest = flow.magnitude.reduce((best, v, bus) => (v < flow.magnitude[best] ? bus : best), 0);
  const isLow = flow.magnitude[lowest] < LEAST_VOLTAGE;
  return grid.lines.map(({ from, to }) => {
    const isWide = Math.abs(flow.angle[from] - flow.angle[to]) > MAX_LINE_ANGLE;
    return isWide || (isLow && (from === lowest || to === lowest));
  });
}

function reinforced(grid: Grid, isWeak: readonly boolean[]): Grid {
  const lines = grid.lines.map((line, k) => {
    const more = isWeak[k] && line.circuits < MAX_CIRCUITS;
    return more ? lineOf(line.from, line.to, line.km, line.circuits + 1) : line;
  });
  return { ...grid, lines };
}

/** Whether the rotors hold together. Close to the limit of stability their slowest swing becomes ever slower. */
function isStiff(grid: Grid, operation: OperatingPoint, flow: LoadFlow): boolean {
  const state = steadyState(grid, operation, flow);
  const kron = new KronReduction(grid.lines, grid.buses.length, grid.plants, []);
  kron.use(state.network, new Float64Array(grid.plants.length).fill(1));
  const [slowest] = slowestModes(grid.plants, state.emf, state.angle, kron.reduce(), 1);
  return slowest.frequency > 2 * Math.PI * LEAST_SWING_HERTZ;
}

interface Equipment {
  loads: Float64Array;
  plants: Plant[];
}

function equip(seed: number, topology: Topology, plantCount: number): Equipment {
  const random = gridStream(seed, 'equipment');
  const busCount = topology.buses.length;
  const loads = new Float64Array(2 * busCount);
  for (let bus = 0; bus < busCount; bus++) {
    const isLoaded = random.uniform() > UNLOADED_SHARE;
    const p = MEAN_LOAD * Math.exp(0.6 * random.normal() - 0.18);
    const q = p * between(random, 0, 0.12);
    if (!isLoaded) continue;
    loads[2 * bus] = p;
    loads[2 * bus + 1] = q;
  }
  const sites = random.permutation(busCount).filter(spreadOver(topology, plantCount));
  const sizes = sizePlants(random, topology, loads, sites);
  const plants = Array.from(sites, (bus, i): Plant => {
    const rating = sizes[i];
    const isGoverned = random.uniform() < 0.6;
    return {
      bus,
      rating,
      units: Math.max(1, Math.round((rating / UNIT_RATING) * between(random, 0.7, 1.3))),
      reactance: (between(random, 0.24, 0.34) + 0.12) / rating,
      inertia: between(random, 3, 6) * rating,
      damping: between(random, 8, 14) * rating,
      selfRegulation: 1.5 * rating,
      governorGain: isGoverned ? rating / 0.05 : 0,
      governorSeconds: between(random, 5, 10),
      voltage: between(random, 1.015, 1.035),
    };
  });
  return { loads, plants };
}

/** Accepts buses until each region has its share of the plants, at least one. */
function spreadOver({ buses, regions }: Topology, plantCount: number): (bus: number) => boolean {
  const busesIn = new Float64Array(regions);
  for (const { region } of buses) busesIn[region]++;
  const left = busesIn.map((count) => (count === 0 ? 0 : Math.max(1, Math.round((plantCount * count) / buses.length))));
  return (bus) => left[buses[bus].region]-- > 0;
}

/** Plants cover their region's load with some margin, more in some regions than in others. */
function sizePlants(
  random: RandomStream,
  { buses, regions }: Topology,
  loads: Float64Array,
  sites: Uint32Array,
): number[] {
  const needed = new Float64Array(regions);
  buses.forEach(({ region }, bus) => {
    needed[region] += loads[2 * bus];
  });
  const surplus = needed.map(() => CAPACITY_MARGIN * Math.exp(REGION_SURPLUS * random.normal()));
  const weights = Array.from(sites, () => Math.exp(0.55 * random.normal()));
  const total = new Float64Array(regions);
  sites.forEach((bus, i) => {
    total[buses[bus].region] += weights[i];
  });
  return weights.map((weight, i) => {
    const { region } = buses[sites[i]];
    return Math.max(LEAST_RATING, (weight / total[region]) * surplus[region] * needed[region]);
  });
}

/** The loads, and everything sized by them, times `factor`. */
function scaled({ loads, plants }: Equipment, factor: number): Equipment {
  return {
    loads: loads.map((load) => load * factor),
    plants: plants.map((plant) => ({
      ...plant,
      rating: plant.rating * factor,
      reactance: plant.reactance / factor,
      inertia: plant.inertia * factor,
      damping: plant.damping * factor,
      selfRegulation: plant.selfRegulation * factor,
      governorGain: plant.governorGain * factor,
    })),
  };
}
