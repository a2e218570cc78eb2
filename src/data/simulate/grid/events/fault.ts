// [owner] A short circuit in symmetrical components: the positive sequence sees a shunt made of the other two.
import type { RandomStream } from '../../../../core/random.ts';
import { add, type Complex, inverse, scale } from '../network/complex.ts';
import { between, logBetween, pick } from '../random-streams.ts';
import { cycles } from '../time-steps.ts';

export const FAULT_TYPES = ['line-to-ground', 'line-to-line', 'two-lines-to-ground', 'three-phase'] as const;
const TYPE_SHARES = [0.72, 0.13, 0.11, 0.04];
/** Zero-sequence over positive-sequence impedance of the grid, by how well its neutrals are earthed. */
const ZERO_SEQUENCE = [0.8, 3] as const;
/** Arc and tower footing, per unit: 1 to 70 Ω. */
const ARC = [0.001, 0.06] as const;
/** Share of faults that back-up protection clears, and cycles until main and back-up protection have cleared. */
const SLOW_SHARE = 0.08;
const CLEARING = [3, 6] as const;
const SLOW_CLEARING = [9, 15] as const;

export interface Fault {
  type: (typeof FAULT_TYPES)[number];
  /** Shunt at the fault in the positive sequence. */
  admittance: Complex;
  /** Steps until it is cleared. */
  clearing: number;
}

/** impedance: of the grid as seen from the fault; positive and negative sequence are taken as equal. */
export function drawFault(random: RandomStream, impedance: Complex): Fault {
  const type = pick(random, TYPE_SHARES);
  const zero = scale(impedance, between(random, ...ZERO_SEQUENCE));
  const arc: Complex = [logBetween(random, ...ARC), 0];
  const [soonest, latest] = random.uniform() < SLOW_SHARE ? SLOW_CLEARING : CLEARING;
  const clearing = cycles(between(random, soonest, latest));
  const toGround = add(zero, scale(arc, 3));
  const negative = add(impedance, arc);
  const shunts = [add(impedance, toGround), negative, inverse(add(inverse(negative), inverse(toGround))), arc];
  return { type: FAULT_TYPES[type], admittance: inverse(shunts[type]), clearing };
}
