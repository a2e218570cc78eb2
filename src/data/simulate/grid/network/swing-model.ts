// [owner] The classical swing model of the reduced grid, integrated by Runge–Kutta of order four.
//
//   dδ_i/dt = ω₀·ω_i
//   2H_i·dω_i/dt = Pm_i + g_i + f_i(t) − Re(E_i·conj(Σ_j Y_ij·E_j)) − D_i·(ω_i − ω̄) − K_i·ω_i
//   T_i·dg_i/dt = −ω_i/R_i − g_i
// with ω the deviation of speed from rated (per unit) and ω̄ its mean weighted by inertia.
import type { Plant } from '../grid.ts';
import type { ReducedNetwork } from './kron-reduction.ts';

export const SYNCHRONOUS_SPEED = 2 * Math.PI * 60;

/** A sinusoidal power that a plant's turbine adds to its own, growing to full strength in `rampSeconds`. */
export interface ForcedPower {
  plant: number;
  amplitude: number;
  hertz: number;
  rampSeconds: number;
}

/** Where the Runge–Kutta method takes its four slopes, and their weights. */
const OFFSETS = [0, 1 / 2, 1 / 2, 1];
const WEIGHTS = [1 / 6, 1 / 3, 1 / 3, 1 / 6];
const COEFFICIENTS = 6;

export class SwingModel {
  readonly size: number;
  /** [plant]: rotor angle (radians, in a frame turning at rated speed), speed deviation and governor power. */
  readonly angle: Float64Array;
  readonly speed: Float64Array;
  readonly governor: Float64Array;
  /** [re/im, plant]: internal voltages at the current angles. */
  readonly internal: Float64Array;
  readonly #plants: readonly Plant[];
  readonly #emf: Float64Array;
  /** [plant, coefficient]: mechanical power, D, K, 2H, 1/(R·T), 1/T */
  readonly #coefficients: Float64Array;
  #network: ReducedNetwork;
  #inService: Float64Array;
  #forced: ForcedPower | undefined;
  /** Seconds since the forced power began. */
  #seconds = 0;
  readonly #stage: { angle: Float64Array; speed: Float64Array; governor: Float64Array };
  readonly #slope: Float64Array;
  readonly #power: Float64Array;
  readonly #sum: Float64Array;

  /** Starts in balance: each plant's mechanical power is what it delivers at `angle` into `network`. */
  constructor(plants: readonly Plant[], emf: Float64Array, angle: Float64Array, network: ReducedNetwork) {
    this.size = plants.length;
    const numbers = () => new Float64Array(this.size);
    this.#plants = plants;
    this.#emf = emf;
    this.angle = angle.slice();
    this.speed = numbers();
    this.governor = numbers();
    this.internal = new Float64Array(2 * this.size);
    this.#network = network;
    this.#inService = numbers().fill(1);
    this.#stage = { angle: numbers(), speed: numbers(), governor: numbers() };
    this.#slope = new Float64Array(3 * this.size);
    this.#power = numbers();
    this.#sum = new Float64Array(3 * this.size);
    const mechanical = this.electricalPower();
    this.#coefficients = Float64Array.from(
      plants.flatMap((plant, i) => [
        mechanical[i],
        plant.damping,
        plant.selfRegulation,
        2 * plant.inertia,
        plant.governorGain / plant.governorSeconds,
        1 / plant.governorSeconds,
      ]),
    );
  }

  useNetwork(network: ReducedNetwork, inService: Float64Array): void {
    this.#network = network;
    this.#inService = inService;
  }

  force(power: ForcedPower): void {
    this.#forced = power;
    this.#seconds = 0;
  }

  /** [plant]: electrical power now, per unit. */
  electricalPower(): Float64Array {
    const power = new Float64Array(this.size);
    this.#electrical(this.angle, power);
    return power;
  }

  /** Mean speed deviation weighted by inertia. Times 60 it is the frequency deviation in hertz. */
  meanSpeed(): number {
    return this.#meanSpeed(this.speed);
  }

  /** Largest distance of a connected rotor from the mean angle. Beyond π a plant has fallen out of step. */
  spread(): number {
    let mean = 0;
    let total = 0;
    for (let i = 0; i < this.size; i++) {
      mean += this.#plants[i].inertia * this.#inService[i] * this.angle[i];
      total += this.#plants[i].inertia * this.#inService[i];
    }
    mean /= total;
    let largest = 0;
    for (let i = 0; i < this.size; i++) {
      if (this.#inService[i] > 0) largest = Math.max(largest, Math.abs(this.angle[i] - mean));
    }
    return largest;
  }

  step(seconds: number): void {
    const { size, angle, speed, governor } = this;
    const at = this.#stage;
    const slope = this.#slope;
    const sum = this.#sum;
    at.angle.set(angle);
    at.speed.set(speed);
    at.governor.set(governor);
    sum.fill(0);
    for (let stage = 0; stage < 4; stage++) {
      this.#derive(this.#seconds + seconds * OFFSETS[stage]);
      const weight = seconds * WEIGHTS[stage];
      for (let i = 0; i < 3 * size; i++) sum[i] += weight * slope[i];
      if (stage === 3) break;
      const next = seconds * OFFSETS[stage + 1];
      for (let i = 0; i < size; i++) {
        at.angle[i] = angle[i] + next * slope[i];
        at.speed[i] = speed[i] + next * slope[size + i];
        at.governor[i] = governor[i] + next * slope[2 * size + i];
      }
    }
    for (let i = 0; i < size; i++) {
      angle[i] += sum[i];
      speed[i] += sum[size + i];
      governor[i] += sum[2 * size + i];
    }
    this.#seconds += seconds;
    this.#setInternal(angle);
  }

  /** Slopes at `#stage`, `seconds` after the forced power began: [angle/speed/governor, plant]. */
  #derive(seconds: number): void {
    const { size } = this;
    const { angle, speed, governor } = this.#stage;
    const slope = this.#slope;
    const power = this.#power;
    const coefficients = this.#coefficients;
    this.#electrical(angle, power);
    const mean = this.#meanSpeed(speed);
    for (let i = 0, k = 0; i < size; i++, k += COEFFICIENTS) {
      const share = this.#inService[i];
      const isOut = share === 0;
      const supplied = share * (coefficients[k] + governor[i] - coefficients[k + 1] * (speed[i] - mean));
      const surplus = supplied - share * coefficients[k + 2] * speed[i] - power[i];
      slope[i] = isOut ? 0 : SYNCHRONOUS_SPEED * speed[i];
      slope[size + i] = isOut ? 0 : surplus / (share * coefficients[k + 3]);
      slope[2 * size + i] = -coefficients[k + 4] * speed[i] - coefficients[k + 5] * governor[i];
    }
    if (this.#forced === undefined) return;
    const { plant } = this.#forced;
    slope[size + plant] += forcedPower(this.#forced, seconds) / coefficients[COEFFICIENTS * plant + 3];
  }

  #meanSpeed(speed: Float64Array): number {
    let mean = 0;
    let total = 0;
    for (let i = 0; i < this.size; i++) {
      const weight = this.#plants[i].inertia * this.#inService[i];
      mean += weight * speed[i];
      total += weight;
    }
    return mean / total;
  }

  #setInternal(angle: Float64Array): void {
    for (let i = 0; i < this.size; i++) {
      this.internal[i] = this.#emf[i] * Math.cos(angle[i]);
      this.internal[this.size + i] = this.#emf[i] * Math.sin(angle[i]);
    }
  }

  /** P_i = Σ_j G_ij·Re(E_i·conj(E_j)) + B_ij·Im(E_i·conj(E_j)); Y_red is symmetric, so each pair is visited once. */
  #electrical(angle: Float64Array, power: Float64Array): void {
    const { size, internal: e } = this;
    const { conductance: g, susceptance: b } = this.#network;
    this.#setInternal(angle);
    power.fill(0);
    for (let i = 0; i < size; i++) {
      const re = e[i];
      const im = e[size + i];
      let own = power[i] + g[i * size + i] * (re * re + im * im);
      for (let j = i + 1, k = i * size + j; j < size; j++, k++) {
        const even = g[k] * (re * e[j] + im * e[size + j]);
        const odd = b[k] * (im * e[j] - re * e[size + j]);
        own += even + odd;
        power[j] += even - odd;
      }
      power[i] = own;
    }
  }
}

function forcedPower({ amplitude, hertz, rampSeconds }: ForcedPower, seconds: number): number {
  return amplitude * Math.min(1, seconds / rampSeconds) * Math.sin(2 * Math.PI * hertz * seconds);
}
