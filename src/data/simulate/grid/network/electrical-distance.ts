// [owner] How far apart two buses are for voltages: D_ij = −ln(|Z_ij|²/(|Z_ii|·|Z_jj|)) (after Lagonotte et al. 1989).
//
// |Z_ij|/|Z_ii| is the share of a voltage change at bus i that arrives at bus j; D adds up both ways in logarithms.
import type { KronReduction } from './kron-reduction.ts';

/** Distances [bus, bus] in the network that `kron` holds. */
export function electricalDistances(kron: KronReduction, buses: number): Float64Array {
  const distances = new Float64Array(buses * buses);
  for (let i = 0; i < buses; i++) {
    const column = kron.impedanceColumn(i);
    for (let j = 0; j < buses; j++) distances[i * buses + j] = Math.log(Math.hypot(column[2 * j], column[2 * j + 1]));
  }
  const own = Float64Array.from({ length: buses }, (_, i) => distances[i * (buses + 1)]);
  return distances.map((log, k) => own[Math.floor(k / buses)] + own[k % buses] - 2 * log);
}
