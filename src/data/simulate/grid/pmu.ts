// [owner] Phasor measurement units: where they stand, what they report and how they err. Each owner has one.
import type { Grid } from './grid.ts';
import type { Channel } from './network/kron-reduction.ts';
import { gridStream, logBetween, pick } from './random-streams.ts';

export type Variate = 'voltage' | 'current';

export interface Pmu {
  owner: string;
  bus: number;
  /** The line whose current it measures, at the end where it stands. */
  line: number;
  end: 'from' | 'to';
  /** Reports per second that reach the data set. */
  rate: 30 | 60;
  variates: Variate[];
  /** Standard deviation of a voltage reading, per unit. */
  voltageNoise: number;
  /** Standard deviation of a current reading: a share of the current, but at least LEAST_CURRENT_NOISE. */
  currentNoise: number;
}

/** A signal-to-noise ratio of 57 to 45 dB. The worst of ours is the ratio found in the field (Brown et al. 2016). */
const VOLTAGE_NOISE = [0.0014, 0.0056] as const;
const CURRENT_NOISE = [0.004, 0.016] as const;
const LEAST_CURRENT_NOISE = 0.003;
const FAST_SHARE = 0.3;
const VARIATE_SETS: Variate[][] = [['voltage', 'current'], ['voltage'], ['current']];
const VARIATE_SHARES = [0.6, 0.25, 0.15];

/** Without `heterogeneous` every owner gives both variates at 30 Hz, as the paper does: 60 Hz units are decimated. */
export function placePmus(seed: number, grid: Grid, owners: number, heterogeneous: boolean): Pmu[] {
  const random = gridStream(seed, 'pmus');
  const digits = String(owners - 1).length;
  return Array.from(random.permutation(grid.buses.length).subarray(0, owners), (bus, i): Pmu => {
    const lines = grid.lines.flatMap(({ from, to }, k) => (from === bus || to === bus ? [k] : []));
    const line = lines[random.integer(lines.length)];
    const isFast = random.uniform() < FAST_SHARE;
    const variates = VARIATE_SETS[pick(random, VARIATE_SHARES)];
    return {
      owner: `pmu-${String(i).padStart(digits, '0')}`,
      bus,
      line,
      end: grid.lines[line].from === bus ? 'from' : 'to',
      rate: heterogeneous && isFast ? 60 : 30,
      variates: heterogeneous ? variates : VARIATE_SETS[0],
      voltageNoise: logBetween(random, ...VOLTAGE_NOISE),
      currentNoise: logBetween(random, ...CURRENT_NOISE),
    };
  });
}

/** Two channels per unit, voltage first, whether or not the owner passes both on. */
export function channelsOf(pmus: readonly Pmu[]): Channel[] {
  return pmus.flatMap(({ bus, line, end }): Channel[] => [
    { kind: 'voltage', bus },
    { kind: 'current', line, end },
  ]);
}

/** Standard deviation of a reading around `level`. */
export function noiseOf(pmu: Pmu, variate: Variate, level: number): number {
  return variate === 'voltage' ? pmu.voltageNoise : Math.max(LEAST_CURRENT_NOISE, pmu.currentNoise * level);
}
