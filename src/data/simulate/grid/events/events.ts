// [owner] The four classes of event: each is a list of switched networks and, for oscillations, a forced power.
import type { RandomStream } from '../../../../core/random.ts';
import type { Grid } from '../grid.ts';
import type { KronReduction } from '../network/kron-reduction.ts';
import type { Network } from '../network/network.ts';
import type { SteadyState } from '../network/steady-state.ts';
import type { ForcedPower } from '../network/swing-model.ts';
import { drawForcedOscillation } from './forced-oscillation.ts';
import { drawGeneratorTrip } from './generator-trip.ts';
import { drawLineFault } from './line-fault.ts';
import { drawLoadSwitching } from './load-switching.ts';

export const EVENT_CLASSES = ['line-fault', 'generator-trip', 'forced-oscillation', 'load-switching'] as const;

/** How the grid looks from `step` on. */
export interface Switching {
  /** Steps (STEPS_PER_SECOND) since the beginning of the event. */
  step: number;
  network: Network;
  /** [plant]: the share of each plant that is connected. */
  inService: Float64Array;
}

export interface GridEvent {
  /** The bus nearest to the event. */
  bus: number;
  /** What happened, in words and numbers; this goes into the truth. */
  detail: Record<string, string | number>;
  /** The first one is at step 0. */
  switchings: Switching[];
  forced?: ForcedPower;
}

/** The grid before the event, whose network `kron` holds. */
export interface EventScene {
  grid: Grid;
  state: SteadyState;
  kron: KronReduction;
}

const DRAW_BY_CLASS = [drawLineFault, drawGeneratorTrip, drawForcedOscillation, drawLoadSwitching];

/** `label`: index into EVENT_CLASSES */
export function drawEvent(random: RandomStream, label: number, scene: EventScene): GridEvent {
  return DRAW_BY_CLASS[label](random, scene);
}

export function allInService(grid: Grid): Float64Array {
  return new Float64Array(grid.plants.length).fill(1);
}
