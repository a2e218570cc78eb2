// [owner] How a channel responds to the causes of ambient-causes.ts, which are small enough for a linear response.
//
// A load that grows by the share s draws the current s·y·V more; a rotor that turns by the angle a moves its internal
// voltage by j·E·a. Both change the phasor of a channel; what counts is the part along it.
import type { Grid } from '../grid.ts';
import type { Pmu } from '../pmu.ts';
import type { KronReduction, ReducedNetwork } from './kron-reduction.ts';
import type { Mode } from './mode-shapes.ts';
import type { SteadyState } from './steady-state.ts';

/** Least load of a unit's bus, per unit: one without a load still feels those nearby. */
const LEAST_BUS_LOAD = 0.1;

export interface AmbientSensitivity {
  /** [channel, cause]: regions, then modes. */
  sensitivity: Float64Array;
  /** [channel]: to the load of the PMU's own bus. */
  ownSensitivity: Float64Array;
  causes: number;
}

/** `kron` holds the network before the event, `before` its reduction. */
export function ambientSensitivity(
  grid: Grid,
  pmus: readonly Pmu[],
  state: SteadyState,
  kron: KronReduction,
  before: ReducedNetwork,
  modes: readonly Mode[],
): AmbientSensitivity {
  const channels = 2 * pmus.length;
  const causes = grid.regions + modes.length;
  const sensitivity = new Float64Array(causes * channels);
  const ownSensitivity = new Float64Array(channels);
  const phasors = Array.from({ length: channels }, (_, c) => kron.phasor(c, state.voltages));
  const along = (c: number, re: number, im: number) => {
    const [x, y] = phasors[c];
    return (x * re + y * im) / (Math.hypot(x, y) + 1e-9);
  };
  const change = new Float64Array(2 * grid.buses.length);
  const drawMore = (bus: number, re: number, im: number) => {
    const [x, y] = [state.voltages[2 * bus], state.voltages[2 * bus + 1]];
    change[2 * bus] -= re * x - im * y;
    change[2 * bus + 1] -= re * y + im * x;
  };
  for (let region = 0; region < grid.regions; region++) {
    change.fill(0);
    for (let bus = 0; bus < grid.buses.length; bus++) {
      if (grid.buses[bus].region !== region) continue;
      drawMore(bus, state.network.shunt[2 * bus], state.network.shunt[2 * bus + 1]);
    }
    kron.solve(change);
    for (let c = 0; c < channels; c++) sensitivity[c * causes + region] = along(c, ...kron.phasor(c, change));
  }
  modes.forEach(({ shape }, m) => {
    const n = grid.plants.length;
    for (let c = 0; c < channels; c++) {
      let re = 0;
      let im = 0;
      for (let j = 0; j < n; j++) {
        const dRe = -state.emf[j] * Math.sin(state.angle[j]) * shape[j];
        const dIm = state.emf[j] * Math.cos(state.angle[j]) * shape[j];
        const [rowRe, rowIm] = [before.rows[2 * c * n + j], before.rows[(2 * c + 1) * n + j]];
        re += rowRe * dRe - rowIm * dIm;
        im += rowRe * dIm + rowIm * dRe;
      }
      sensitivity[c * causes + grid.regions + m] = along(c, re, im);
    }
  });
  pmus.forEach(({ bus }, i) => {
    change.fill(0);
    drawMore(bus, Math.max(state.network.shunt[2 * bus], LEAST_BUS_LOAD), state.network.shunt[2 * bus + 1]);
    kron.solve(change);
    for (const c of [2 * i, 2 * i + 1]) ownSensitivity[c] = along(c, ...kron.phasor(c, change));
  });
  return { sensitivity, ownSensitivity, causes };
}
