// Bun, Steinke 2016 (zero-concentrated differential privacy): Gaussian noise costs ρ = Δ²/2s², costs add up, and ρ becomes (ε, δ)
// by the conversion of Canonne, Kamath, Steinke 2020, proposition 12, minimised over its order α.

/** What one release of a vector costs, for L2 sensitivity `sensitivity` and standard deviation `deviation`. */
export function releaseCost(sensitivity: number, deviation: number): number {
  return sensitivity ** 2 / (2 * deviation ** 2);
}

/** The ε that releases of cost `rho` in all keep at `delta`. */
export function epsilonOf(rho: number, delta: number): number {
  if (rho === 0) return 0;
  if (!Number.isFinite(rho)) return Number.POSITIVE_INFINITY;
  const bound = (alpha: number) =>
    alpha * rho + Math.log1p(-1 / alpha) + (-Math.log(delta) - Math.log(alpha)) / (alpha - 1);
  // The bound falls and then rises in α: the section that holds its least value is narrowed down on a logarithmic scale.
  let [low, high] = [Math.log(1e-6), Math.log(1e9)];
  for (let i = 0; i < 200; i++) {
    const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
    if (bound(1 + Math.exp(a)) < bound(1 + Math.exp(b))) high = b;
    else low = a;
  }
  return Math.max(0, bound(1 + Math.exp((low + high) / 2)));
}

/** The largest cost whose ε at `delta` is not above `epsilon`. */
export function costOf(epsilon: number, delta: number): number {
  let [low, high] = [0, 1];
  while (epsilonOf(high, delta) < epsilon) high *= 2;
  for (let i = 0; i < 100; i++) {
    const middle = (low + high) / 2;
    if (epsilonOf(middle, delta) <= epsilon) low = middle;
    else high = middle;
  }
  return low;
}
