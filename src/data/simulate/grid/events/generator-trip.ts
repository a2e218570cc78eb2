// [owner] Generator trip: a plant loses one of its units, out of the blue or because of a fault at its own bus.
import type { RandomStream } from '../../../../core/random.ts';
import { at } from '../network/complex.ts';
import { pick } from '../random-streams.ts';
import { allInService, type EventScene, type GridEvent, type Switching } from './events.ts';
import { drawFault } from './fault.ts';

/** Trips by a fault look like line faults from afar. */
const BY_FAULT_SHARE = 0.3;

export function drawGeneratorTrip(random: RandomStream, { grid, state, kron }: EventScene): GridEvent {
  const plant = pick(
    random,
    grid.plants.map(({ units }) => units),
  );
  const { bus, units, rating } = grid.plants[plant];
  const inService = allInService(grid);
  inService[plant] = 1 - 1 / units;
  const switchings: Switching[] = [];
  let cause = 'itself';
  let step = 0;
  if (random.uniform() < BY_FAULT_SHARE) {
    const { type, admittance, clearing } = drawFault(random, at(kron.impedanceColumn(bus), bus));
    const faulted = state.network.copy();
    faulted.addShunt(bus, ...admittance);
    switchings.push({ step: 0, network: faulted, inService: allInService(grid) });
    cause = type;
    step = clearing;
  }
  switchings.push({ step, network: state.network, inService });
  return { bus, detail: { plant, units, lostRating: rating / units, cause }, switchings };
}
