// [owner] Kron reduction to the plants' internal nodes: Y_red = diag(y) − y·Z·y, and the rows that yield readings.
//
// With constant-impedance loads every bus voltage is linear in the internal voltages, V = Z·y·E with Z the inverse of
// the bus admittance matrix (lines, loads and the plants' y = 1/jx), so any reading is one row times E.

import type { Plant } from '../grid.ts';
import { add, at, type Complex, multiply } from './complex.ts';
import type { Line } from './grid-topology.ts';
import type { Network } from './network.ts';
import { SymmetricFactor } from './symmetric-factor.ts';

/** What a measuring channel looks at: a bus voltage, or the current that enters a line at one of its ends. */
export type Channel = { kind: 'voltage'; bus: number } | { kind: 'current'; line: number; end: 'from' | 'to' };

export interface ReducedNetwork {
  /** Real and imaginary part of Y_red: [plant, plant] */
  conductance: Float64Array;
  susceptance: Float64Array;
  /** [channel, re/im, plant]: a channel's phasor is its row times the internal voltages. */
  rows: Float64Array;
}

export class KronReduction {
  readonly #lines: readonly Line[];
  readonly #plants: readonly Plant[];
  readonly #channels: readonly Channel[];
  readonly #factor: SymmetricFactor;
  readonly #column: Float64Array;
  #network: Network | undefined;
  #admittance = new Float64Array();

  constructor(lines: readonly Line[], buses: number, plants: readonly Plant[], channels: readonly Channel[]) {
    this.#lines = lines;
    this.#plants = plants;
    this.#channels = channels;
    this.#factor = new SymmetricFactor(
      buses,
      lines.map(({ from, to }) => [from, to]),
    );
    this.#column = new Float64Array(2 * buses);
  }

  /** Takes over a network with loads, without plants. inService: [plant], the share of each plant that is connected. */
  use(network: Network, inService: Float64Array): void {
    this.#network = network;
    this.#admittance = Float64Array.from(this.#plants, ({ reactance }, i) => inService[i] / reactance);
    const diagonal = network.diagonal();
    this.#plants.forEach(({ bus }, i) => {
      diagonal[2 * bus + 1] -= this.#admittance[i];
    });
    this.#factor.factor(diagonal, network.ab);
  }

  /** Bus voltages for injected bus currents, in place: [bus, re/im]. */
  solve(vector: Float64Array): void {
    this.#factor.solve(vector);
  }

  /** Column of Z: [bus, re/im]. Overwritten by the next call. */
  impedanceColumn(bus: number): Float64Array {
    this.#column.fill(0);
    this.#column[2 * bus] = 1;
    this.#factor.solve(this.#column);
    return this.#column;
  }

  reduce(): ReducedNetwork {
    const size = this.#plants.length;
    const conductance = new Float64Array(size * size);
    const susceptance = new Float64Array(size * size);
    const rows = new Float64Array(2 * size * this.#channels.length);
    for (let j = 0; j < size; j++) {
      // y_j = −j·a_j, so V = Z·(−j·a_j)·E_j per unit of E_j, and I_i = y_i·(E_i − V_i).
      const column = this.impedanceColumn(this.#plants[j].bus);
      for (let bus = 0; bus < column.length; bus += 2) {
        const re = column[bus];
        column[bus] = column[bus + 1] * this.#admittance[j];
        column[bus + 1] = -re * this.#admittance[j];
      }
      for (let i = 0; i < size; i++) {
        const { bus } = this.#plants[i];
        conductance[i * size + j] = -column[2 * bus + 1] * this.#admittance[i];
        susceptance[i * size + j] = column[2 * bus] * this.#admittance[i] - (i === j ? this.#admittance[i] : 0);
      }
      for (let c = 0; c < this.#channels.length; c++) {
        const [re, im] = this.phasor(c, column);
        rows[2 * c * size + j] = re;
        rows[(2 * c + 1) * size + j] = im;
      }
    }
    return { conductance, susceptance, rows };
  }

  /** What channel c shows for bus voltages [bus, re/im]. */
  phasor(c: number, voltages: Float64Array): Complex {
    const channel = this.#channels[c];
    if (channel.kind === 'voltage') return at(voltages, channel.bus);
    const { from, to } = this.#lines[channel.line];
    const { aa, ab, bb } = this.#network as Network;
    const [own, here, there] = channel.end === 'from' ? [aa, from, to] : [bb, to, from];
    return add(
      multiply(at(own, channel.line), at(voltages, here)),
      multiply(at(ab, channel.line), at(voltages, there)),
    );
  }
}
