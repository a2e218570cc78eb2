// [owner] Load flow by fast decoupled iteration (Stott and Alsac 1974, XB): B′Δθ = ΔP/V, then B″ΔV = ΔQ/V.
import type { Plant } from '../grid.ts';
import type { Line } from './grid-topology.ts';
import { Network } from './network.ts';
import type { OperatingPoint } from './operating-point.ts';
import { SymmetricFactor } from './symmetric-factor.ts';

export interface LoadFlow {
  converged: boolean;
  /** Largest mismatch that is left, per unit, of active power (at all buses but the slack) and of reactive power. */
  residual: number;
  iterations: number;
  /** [bus] */
  magnitude: Float64Array;
  angle: Float64Array;
  /** [plant, p/q]: what each plant feeds in, the slack's share of the losses included. */
  injection: Float64Array;
}

/**
 * A plant's voltage falls by this share when its reactive power reaches its rating, as regulators are set so that
 * neighbouring plants do not feed each other: Q = (V₀ − V)·rating/droop.
 */
export const REACTIVE_DROOP = 0.05;
const TOLERANCE = 1e-9;
const MAX_ITERATIONS = 120;
/** A diagonal so large that the angle of the slack bus does not change. */
const HELD = 1e15;

export class LoadFlowSolver {
  readonly #network: Network;
  readonly #angleFactor: SymmetricFactor;
  readonly #voltageFactor: SymmetricFactor;
  readonly #plants: readonly Plant[];
  readonly #slackBus: number;

  constructor(lines: readonly Line[], buses: number, plants: readonly Plant[]) {
    this.#network = Network.of(lines, buses);
    const largest = plants.reduce((best, plant) => (plant.rating > best.rating ? plant : best));
    this.#slackBus = largest.bus;
    this.#plants = plants;
    const edges = lines.map(({ from, to }) => [from, to] as const);
    this.#angleFactor = new SymmetricFactor(buses, edges);
    this.#voltageFactor = new SymmetricFactor(buses, edges);

    const angleDiagonal = new Float64Array(2 * buses);
    const angleEdges = new Float64Array(2 * lines.length);
    for (let k = 0; k < lines.length; k++) {
      const { from, to, x } = lines[k];
      angleDiagonal[2 * from] += 1 / x;
      angleDiagonal[2 * to] += 1 / x;
      angleEdges[2 * k] = -1 / x;
    }
    angleDiagonal[2 * this.#slackBus] = HELD;
    this.#angleFactor.factor(angleDiagonal, angleEdges);

    const admittance = this.#network.diagonal();
    const voltageDiagonal = new Float64Array(2 * buses);
    for (let bus = 0; bus < buses; bus++) voltageDiagonal[2 * bus] = -admittance[2 * bus + 1];
    for (const { bus, rating } of plants) voltageDiagonal[2 * bus] += rating / REACTIVE_DROOP;
    const voltageEdges = new Float64Array(2 * lines.length);
    for (let k = 0; k < lines.length; k++) voltageEdges[2 * k] = -this.#network.ab[2 * k + 1];
    this.#voltageFactor.factor(voltageDiagonal, voltageEdges);
  }

  solve({ load, generation }: OperatingPoint): LoadFlow {
    const buses = load.length / 2;
    const plants = this.#plants;
    const magnitude = new Float64Array(buses).fill(1);
    const angle = new Float64Array(buses);
    plants.forEach(({ bus, voltage }) => {
      magnitude[bus] = voltage;
    });
    const power = new Float64Array(2 * buses);
    /** [bus, p/q]: power that is still missing. */
    const mismatch = new Float64Array(2 * buses);
    const correction = new Float64Array(2 * buses);
    const measure = () => {
      busPowers(this.#network, magnitude, angle, power);
      for (let i = 0; i < mismatch.length; i++) mismatch[i] = -load[i] - power[i];
      plants.forEach(({ bus, rating, voltage }, i) => {
        mismatch[2 * bus] += generation[i];
        mismatch[2 * bus + 1] += ((voltage - magnitude[bus]) * rating) / REACTIVE_DROOP;
      });
      mismatch[2 * this.#slackBus] = 0;
    };
    let residual = Number.POSITIVE_INFINITY;
    let iterations = 0;
    for (; iterations < MAX_ITERATIONS; iterations++) {
      measure();
      residual = largestOf(mismatch);
      if (residual <= TOLERANCE || residual === Number.POSITIVE_INFINITY) break;
      for (let bus = 0; bus < buses; bus++) setReal(correction, bus, mismatch[2 * bus] / magnitude[bus]);
      this.#angleFactor.solve(correction);
      for (let bus = 0; bus < buses; bus++) angle[bus] += correction[2 * bus];
      measure();
      for (let bus = 0; bus < buses; bus++) setReal(correction, bus, mismatch[2 * bus + 1] / magnitude[bus]);
      this.#voltageFactor.solve(correction);
      for (let bus = 0; bus < buses; bus++) magnitude[bus] += correction[2 * bus];
    }
    const injection = new Float64Array(2 * plants.length);
    plants.forEach(({ bus }, i) => {
      injection[2 * i] = power[2 * bus] + load[2 * bus];
      injection[2 * i + 1] = power[2 * bus + 1] + load[2 * bus + 1];
    });
    return { converged: residual <= TOLERANCE, residual, iterations, magnitude, angle, injection };
  }
}

function setReal(vector: Float64Array, k: number, value: number): void {
  vector[2 * k] = value;
  vector[2 * k + 1] = 0;
}

/** NaN counts as infinite: a diverged iteration must not pass for a solved one. */
function largestOf(values: Float64Array): number {
  let largest = 0;
  for (const value of values) {
    if (Number.isNaN(value)) return Number.POSITIVE_INFINITY;
    largest = Math.max(largest, Math.abs(value));
  }
  return largest;
}

/** power: [bus, p/q], what each bus feeds into the lines: S = V·conj(Y·V). */
export function busPowers(network: Network, magnitude: Float64Array, angle: Float64Array, power: Float64Array): void {
  power.fill(0);
  const { lines, aa, ab, bb } = network;
  for (let k = 0; k < lines.length; k++) {
    const { from, to } = lines[k];
    const delta = angle[from] - angle[to];
    const va = magnitude[from];
    const vb = magnitude[to];
    const cosine = va * vb * Math.cos(delta);
    const sine = va * vb * Math.sin(delta);
    // S_a = |V_a|²·conj(aa) + V_a·conj(V_b)·conj(ab), and the mirror image at the other end.
    power[2 * from] += va * va * aa[2 * k] + cosine * ab[2 * k] + sine * ab[2 * k + 1];
    power[2 * from + 1] += -va * va * aa[2 * k + 1] - cosine * ab[2 * k + 1] + sine * ab[2 * k];
    power[2 * to] += vb * vb * bb[2 * k] + cosine * ab[2 * k] - sine * ab[2 * k + 1];
    power[2 * to + 1] += -vb * vb * bb[2 * k + 1] - cosine * ab[2 * k + 1] - sine * ab[2 * k];
  }
}
