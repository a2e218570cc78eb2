// [owner] Forced oscillation: a turbine control hunts and drives its plant's power up and down, to the record's end.
import type { RandomStream } from '../../../../core/random.ts';
import { between, logBetween } from '../random-streams.ts';
import { allInService, type EventScene, type GridEvent } from './events.ts';

const AMPLITUDE = [0.08, 0.4] as const;
const HERTZ = [0.25, 2.5] as const;
const RAMP_SECONDS = [0.5, 3] as const;

export function drawForcedOscillation(random: RandomStream, { grid, state }: EventScene): GridEvent {
  const plant = random.integer(grid.plants.length);
  const { bus, rating } = grid.plants[plant];
  const amplitude = rating * logBetween(random, ...AMPLITUDE);
  const hertz = logBetween(random, ...HERTZ);
  return {
    bus,
    detail: { plant, amplitude, hertz },
    switchings: [{ step: 0, network: state.network, inService: allInService(grid) }],
    forced: { plant, amplitude, hertz, rampSeconds: between(random, ...RAMP_SECONDS) },
  };
}
