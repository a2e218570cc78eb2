// [owner] One hour's loads and dispatch: loads vary by grid, region and bus, and plants follow their region.
import type { RandomStream } from '../../../../core/random.ts';
import type { Grid } from '../grid.ts';
import { between } from '../random-streams.ts';

export interface OperatingPoint {
  /** [bus, p/q], per unit */
  load: Float64Array;
  /** [plant], per unit. The largest plant covers the difference between actual and expected losses. */
  generation: Float64Array;
}

const LEVEL = [0.65, 1.05] as const;
const REGION_SPREAD = 0.06;
const BUS_SPREAD = 0.08;
/** Share of a plant's output that follows its own region's load; the rest follows the whole grid's. */
const LOCAL_SHARE = 0.75;
/** Largest share of its rating at which a plant runs. */
const MOST_USE = 0.95;
const EXPECTED_LOSSES = 0.02;

export function drawOperation(random: RandomStream, grid: Grid): OperatingPoint {
  const level = between(random, ...LEVEL);
  const regional = Float64Array.from({ length: grid.regions }, () => Math.exp(REGION_SPREAD * random.normal()));
  const load = grid.loads.slice();
  for (let bus = 0; bus < grid.buses.length; bus++) {
    const factor = level * regional[grid.buses[bus].region] * Math.exp(BUS_SPREAD * random.normal());
    load[2 * bus] *= factor;
    load[2 * bus + 1] *= factor;
  }
  return { load, generation: dispatch(grid, load) };
}

/** Every load at the top of the range, and some more: what the grid must be able to carry. */
export function heaviestOperation(grid: Grid): OperatingPoint {
  return uniformOperation(grid, LEVEL[1] * 1.05);
}

export function averageOperation(grid: Grid): OperatingPoint {
  return uniformOperation(grid, 1);
}

function uniformOperation(grid: Grid, level: number): OperatingPoint {
  const load = grid.loads.map((value) => value * level);
  return { load, generation: dispatch(grid, load) };
}

function dispatch(grid: Grid, load: Float64Array): Float64Array {
  const regionLoad = new Float64Array(grid.regions);
  const regionRating = new Float64Array(grid.regions);
  let totalLoad = 0;
  let totalRating = 0;
  for (let bus = 0; bus < grid.buses.length; bus++) {
    regionLoad[grid.buses[bus].region] += load[2 * bus];
    totalLoad += load[2 * bus];
  }
  for (const { bus, rating } of grid.plants) {
    regionRating[grid.buses[bus].region] += rating;
    totalRating += rating;
  }
  const generation = Float64Array.from(grid.plants, ({ bus, rating }) => {
    const region = grid.buses[bus].region;
    const local = regionLoad[region] / regionRating[region];
    return rating * Math.min(MOST_USE, LOCAL_SHARE * local + (1 - LOCAL_SHARE) * (totalLoad / totalRating));
  });
  // A region without plants, or with too few, is served by all others as they have room. All plants share the losses.
  const generated = generation.reduce((sum, p) => sum + p, 0);
  const missing = totalLoad * (1 + EXPECTED_LOSSES) - generated;
  if (missing < 0) return generation.map((p) => p * (1 + missing / generated));
  const room = MOST_USE * totalRating - generated;
  return generation.map((p, i) => p + (MOST_USE * grid.plants[i].rating - p) * (missing / room));
}
