// [owner] Load switching: a large consumer comes or goes; some come with the inrush of big motors and transformers.
import type { RandomStream } from '../../../../core/random.ts';
import { between, logBetween, pick } from '../random-streams.ts';
import { cycles } from '../time-steps.ts';
import { allInService, type EventScene, type GridEvent, type Switching } from './events.ts';

/** In multiples of the mean load of a bus. */
const POWER = [0.4, 4] as const;
const POWER_FACTOR = [0.8, 0.98] as const;
const CONNECTED_SHARE = 0.6;
/** Share of connections with an inrush, its reactive current in multiples of the load, and how long it lasts. */
const INRUSH_SHARE = 0.4;
const INRUSH = [1.5, 6] as const;
const INRUSH_CYCLES = [5, 40] as const;

export function drawLoadSwitching(random: RandomStream, { grid, state }: EventScene): GridEvent {
  const loads = grid.buses.map((_, i) => grid.loads[2 * i]);
  const bus = pick(random, loads);
  const mean = loads.reduce((sum, load) => sum + load, 0) / loads.length;
  const isConnected = random.uniform() < CONNECTED_SHARE;
  const power = (isConnected ? 1 : -1) * mean * logBetween(random, ...POWER);
  const reactive = power * Math.tan(Math.acos(between(random, ...POWER_FACTOR)));
  const hasInrush = isConnected && random.uniform() < INRUSH_SHARE;
  const inrush = hasInrush ? power * between(random, ...INRUSH) : 0;
  const inrushEnd = cycles(between(random, ...INRUSH_CYCLES));

  const inService = allInService(grid);
  const after = state.network.copy();
  after.addShunt(bus, power, -reactive);
  const switchings: Switching[] = [];
  if (hasInrush) {
    const during = after.copy();
    during.addShunt(bus, 0, -inrush);
    switchings.push({ step: 0, network: during, inService });
  }
  switchings.push({ step: hasInrush ? inrushEnd : 0, network: after, inService });
  return { bus, detail: { power, reactive, inrush }, switchings };
}
