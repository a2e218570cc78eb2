// [owner] The swing model's start from a load flow: loads become admittances, plants voltages behind a reactance.
import type { Grid } from '../grid.ts';
import type { LoadFlow } from './load-flow.ts';
import { Network } from './network.ts';
import type { OperatingPoint } from './operating-point.ts';

export interface SteadyState {
  /** Lines and loads (y = conj(S)/|V|²), without the plants. */
  network: Network;
  /** [bus, re/im] */
  voltages: Float64Array;
  /** [plant]: E = V + jx·conj(S/V) as magnitude and angle */
  emf: Float64Array;
  angle: Float64Array;
}

export function steadyState(grid: Grid, operation: OperatingPoint, flow: LoadFlow): SteadyState {
  const network = Network.of(grid.lines, grid.buses.length);
  const voltages = new Float64Array(2 * grid.buses.length);
  for (let bus = 0; bus < grid.buses.length; bus++) {
    const square = flow.magnitude[bus] ** 2;
    network.addShunt(bus, operation.load[2 * bus] / square, -operation.load[2 * bus + 1] / square);
    voltages[2 * bus] = flow.magnitude[bus] * Math.cos(flow.angle[bus]);
    voltages[2 * bus + 1] = flow.magnitude[bus] * Math.sin(flow.angle[bus]);
  }
  const emf = new Float64Array(grid.plants.length);
  const angle = new Float64Array(grid.plants.length);
  grid.plants.forEach(({ bus, reactance }, i) => {
    // In the frame of the bus voltage the current is (P − jQ)/|V|, so E = |V| + x·Q/|V| + j·x·P/|V|.
    const re = flow.magnitude[bus] + (reactance * flow.injection[2 * i + 1]) / flow.magnitude[bus];
    const im = (reactance * flow.injection[2 * i]) / flow.magnitude[bus];
    emf[i] = Math.hypot(re, im);
    angle[i] = flow.angle[bus] + Math.atan2(im, re);
  });
  return { network, voltages, emf, angle };
}
