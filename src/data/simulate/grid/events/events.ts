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

/** From this step (of STEPS_PER_SECOND) after the event's beginning on, the grid looks like this. */
export interface Switching {
  step: number;
  network: Network;
  /** [plant]: the share of each plant that is connected. */
  inService: Float64Array;
}

export interface GridEvent {
  /** The bus nearest to the event. */
  bus: number;
  /** For the truth: what happened, in words and numbers. */
  detail: Record<string, string | number>;
  /** The first at step 0. */
  switchings: Switching[];
  forced?: ForcedPower;
}

/** What an event is drawn on: `kron` holds the network before the event. */
export interface EventScene {
  grid: Grid;
  state: SteadyState;
  kron: KronReduction;
}

const DRAW = [drawLineFault, drawGeneratorTrip, drawForcedOscillation, drawLoadSwitching];

/** `label`: index into EVENT_CLASSES */
export function drawEvent(random: RandomStream, label: number, scene: EventScene): GridEvent {
  return DRAW[label](random, scene);
}

export function allInService(grid: Grid): Float64Array {
  return new Float64Array(grid.plants.length).fill(1);
}
