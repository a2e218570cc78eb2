// [owner] What the channels show after an event: the swing model through all switchings, then the PMU's filter.

import type { Plant } from '../grid.ts';
import type { KronReduction, ReducedNetwork } from '../network/kron-reduction.ts';
import type { SteadyState } from '../network/steady-state.ts';
import { SwingModel } from '../network/swing-model.ts';
import { STEPS_PER_SECOND } from '../time-steps.ts';
import type { GridEvent } from './events.ts';

/**
 * Triangular weights over ±1 cycle: the P-class reference filter of IEEE C37.118.1 at four samples a cycle. They sum
 * to one.
 */
const FILTER = [1, 2, 3, 4, 3, 2, 1].map((weight) => weight / 16);
const REACH = 3;

export interface EventResponse {
  /** [frame, channel]: magnitudes; frame 0 is the last report not after the event's beginning. */
  magnitudes: Float64Array;
  frames: number;
  /** Mean frequency deviation at the end, hertz. */
  frequency: number;
  /** Whether all rotors stayed in step. */
  isStable: boolean;
}

export interface ResponsePlan {
  /** Reports per second. */
  rate: number;
  seconds: number;
  /** Integration steps between frame 0 and the event. */
  offset: number;
  channels: number;
}

export function respond(
  plants: readonly Plant[],
  state: SteadyState,
  kron: KronReduction,
  before: ReducedNetwork,
  event: GridEvent,
  plan: ResponsePlan,
): EventResponse {
  const reduced = [before];
  for (const { network, inService } of event.switchings) {
    kron.use(network, inService);
    reduced.push(kron.reduce());
  }
  const stepsPerFrame = STEPS_PER_SECOND / plan.rate;
  const frames = Math.floor(plan.seconds * plan.rate);
  const steps = frames * stepsPerFrame + REACH;
  const model = new SwingModel(plants, state.emf, state.angle, before);
  const width = 2 * plants.length;
  // Internal voltages and the network in force, per step. The filter of frame 0 reaches back before the first step.
  const internal = new Float64Array((steps + REACH + 1) * width);
  const inForce = new Uint8Array(steps + REACH + 1);
  let stage = 0;
  for (let step = -REACH; step <= steps; step++) {
    const row = step + REACH;
    while (stage < event.switchings.length && step === plan.offset + event.switchings[stage].step) {
      if (stage === 0 && event.forced) model.force(event.forced);
      model.useNetwork(reduced[stage + 1], event.switchings[stage].inService);
      stage++;
    }
    inForce[row] = stage;
    internal.set(model.internal, row * width);
    if (step >= plan.offset) model.step(1 / STEPS_PER_SECOND);
    if (step % STEPS_PER_SECOND === 0 && !(model.spread() < Math.PI)) return unstable(plan.channels);
  }
  const magnitudes = new Float64Array(frames * plan.channels);
  const filtered = new Float64Array(width);
  const phasors = new Float64Array(2 * plan.channels);
  for (let frame = 0; frame < frames; frame++) {
    phasors.fill(0);
    const first = frame * stepsPerFrame;
    // While one network is in force, readings are linear in the internal voltages, so the filter goes over those.
    for (let from = 0; from < FILTER.length; ) {
      const network = inForce[first + from];
      filtered.fill(0);
      let to = from;
      for (; to < FILTER.length && inForce[first + to] === network; to++) {
        const row = (first + to) * width;
        for (let i = 0; i < width; i++) filtered[i] += FILTER[to] * internal[row + i];
      }
      addReadings(reduced[network].rows, filtered, phasors);
      from = to;
    }
    for (let c = 0; c < plan.channels; c++) {
      magnitudes[frame * plan.channels + c] = Math.hypot(phasors[2 * c], phasors[2 * c + 1]);
    }
  }
  return { magnitudes, frames, frequency: 60 * model.meanSpeed(), isStable: model.spread() < Math.PI };
}

/** phasors[c] += Σ_j rows[c, j]·internal[j] */
function addReadings(rows: Float64Array, internal: Float64Array, phasors: Float64Array): void {
  const size = internal.length / 2;
  for (let c = 0; c < phasors.length / 2; c++) {
    let re = 0;
    let im = 0;
    for (let j = 0, k = 2 * c * size; j < size; j++, k++) {
      re += rows[k] * internal[j] - rows[size + k] * internal[size + j];
      im += rows[k] * internal[size + j] + rows[size + k] * internal[j];
    }
    phasors[2 * c] += re;
    phasors[2 * c + 1] += im;
  }
}

function unstable(channels: number): EventResponse {
  return { magnitudes: new Float64Array(channels), frames: 1, frequency: Number.NaN, isStable: false };
}
