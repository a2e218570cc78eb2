// [owner] The sizes that the grid simulator knows: those of the paper's PMU-B and PMU-C, or others like them.
import { F3Error } from '../../../errors.ts';

/** The sizes that the grid simulator knows, like those of the paper's PMU-B and PMU-C. */
export const GRID_PRESETS = {
  /** 43 units scattered over a grid that they leave mostly unobserved. */
  'pmu-b': { owners: 43, samples: 4853, busesPerOwner: 5, classShares: [0.6, 0.11, 0.05, 0.24] },
  /** 188 units, on two of three buses. */
  'pmu-c': { owners: 188, samples: 1884, busesPerOwner: 1.6, classShares: [0.54, 0.14, 0.06, 0.26] },
} as const;

/** The name of a size that the grid simulator knows. */
export type GridPreset = keyof typeof GRID_PRESETS;

/** Which grid to simulate. */
export interface GridOptions {
  preset: GridPreset;
  /** Number of owners. The preset decides by default. */
  owners?: number;
  /** Number of samples. The preset decides by default. */
  samples?: number;
  seed: number;
  /** Whether owners differ in rate (30 or 60 Hz) and variates. By default all have both variates at 30 Hz. */
  heterogeneous?: boolean;
}

export interface GridPlan {
  preset: GridPreset;
  seed: number;
  owners: number;
  samples: number;
  heterogeneous: boolean;
  buses: number;
  plants: number;
  /** Samples of each class, in the order of EVENT_CLASSES. */
  classCounts: number[];
}

const BUSES_PER_PLANT = 7;
const LEAST_BUSES = 40;

export function planGrid({ preset, owners, samples, seed, heterogeneous = false }: GridOptions): GridPlan {
  if (!Object.hasOwn(GRID_PRESETS, preset)) {
    throw optionError('preset', `must be one of ${Object.keys(GRID_PRESETS).join(', ')}`, preset);
  }
  const { busesPerOwner, classShares, ...sizes } = GRID_PRESETS[preset];
  const plan = { owners: owners ?? sizes.owners, samples: samples ?? sizes.samples };
  expectInteger('owners', plan.owners, 2, 500);
  expectInteger('samples', plan.samples, 20, 1_000_000);
  expectInteger('seed', seed, 0, Number.MAX_SAFE_INTEGER);
  const buses = Math.max(LEAST_BUSES, Math.round(busesPerOwner * plan.owners));
  const classCounts = shareOut(plan.samples, classShares);
  return { preset, seed, ...plan, heterogeneous, buses, plants: Math.round(buses / BUSES_PER_PLANT), classCounts };
}

/** Splits `total` into whole numbers by `shares`, which sum to 1. The largest remainders are rounded up. */
function shareOut(total: number, shares: readonly number[]): number[] {
  const counts = shares.map((share) => Math.floor(share * total));
  const byRemainder = shares
    .map((share, i) => ({ i, left: share * total - counts[i] }))
    .sort((a, b) => b.left - a.left);
  const missing = total - counts.reduce((sum, count) => sum + count, 0);
  for (const { i } of byRemainder.slice(0, missing)) counts[i]++;
  return counts;
}

function expectInteger(option: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw optionError(option, `must be an integer from ${least} to ${most}`, value);
}

function optionError(option: string, rule: string, value: unknown): F3Error {
  return new F3Error('F3_OPTION', `${option}: ${rule}, got ${value}`);
}
