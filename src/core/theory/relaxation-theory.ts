// What relaxing Bernoulli(θ) costs: CDFs of ICDF and Gumbel samples (Theorems 1, 2) and their bias (Theorems 3, 4).
//
// Exact biases are integrals over m = log(1/t − 1) with the logistic density as weight, folded at m = 0. Absolute
// error is below 1e-15 for τ/(width of F) up to 100, checked against 30-digit quadrature.
import { expectArgument } from '../errors.ts';
import { inverseErfc } from './inverse-error-function.ts';
import { logistic, type ReferenceDistribution } from './reference-distribution.ts';

/** Half the variance of the logistic weight: ½ ∫ m²·e^m/(1 + e^m)² dm. */
const HALF_SECOND_MOMENT = Math.PI ** 2 / 6;

/** Beyond |m| = 40 the logistic weight holds 8e-18. */
const FAR = 40;

/** Theorem 1: Pr(z ≤ t) for the ICDF sample z = σ((F⁻¹(θ) − s)/τ), s ~ F. */
export function icdfCdf(F: ReferenceDistribution, theta: number, tau: number, t: number): number {
  checkArguments(theta, tau, t);
  const threshold = F.quantile(theta) + tau * logOddsAgainst(t);
  const [a, b] = F.support;
  if (threshold >= b) return 0; // t < σ((F⁻¹(θ) − b)/τ)
  if (threshold <= a) return 1; // t > σ((F⁻¹(θ) − a)/τ)
  return 1 - F.cdf(threshold);
}

/** Theorem 2: Pr(y₁ ≤ t) = t^τ(1−θ) / (t^τ(1−θ) + (1−t)^τ·θ) for the Gumbel softmax sample y₁. */
export function gumbelCdf(theta: number, tau: number, t: number): number {
  checkArguments(theta, tau, t);
  const below = t ** tau * (1 - theta);
  return below / (below + (1 - t) ** tau * theta);
}

/** E[z] − θ of the ICDF sample, exact: ∫₀^∞ [F(q + τm) + F(q − τm) − 2θ]·w(m) dm with q = F⁻¹(θ). */
export function icdfBias(F: ReferenceDistribution, theta: number, tau: number): number {
  checkArguments(theta, tau);
  const q = F.quantile(theta);
  const [a, b] = F.support;
  const centre = F.cdf(q);
  const kinks = [0, (q - a) / tau, (b - q) / tau, FAR].map((m) => Math.min(m, FAR)).sort((x, y) => x - y);
  let bias = 0;
  for (let i = 1; i < kinks.length; i++) {
    bias += integrate(
      (m) => (F.cdf(q + tau * m) - centre + (F.cdf(q - tau * m) - centre)) * logistic.pdf(m),
      kinks[i - 1] as number,
      kinks[i] as number,
    );
  }
  return bias;
}

/** E[y₁] − θ of the Gumbel sample, exact: the folded integrand of Theorem 4's proof, which has the sign of 1 − 2θ. */
export function gumbelBias(theta: number, tau: number): number {
  checkArguments(theta, tau);
  const numerator = theta * (1 - theta) * (1 - 2 * theta);
  return integrate(
    (m) => {
      const ratio = Math.exp(-tau * m);
      const against = 1 - theta + ratio * theta;
      const inFavour = ratio * (1 - theta) + theta;
      return (((1 - ratio) ** 2 * numerator) / (against * inFavour)) * logistic.pdf(m);
    },
    0,
    FAR,
  );
}

/**
 * Theorem 3: E[z] − θ ≈ τ²π²F″(F⁻¹(θ))/6. The remainder is O(τ⁴) where F has a bounded fourth derivative within reach
 * of F⁻¹(θ). A kink breaks that near the ends of the support: for the uniform F the expansion is 0 and the exact bias
 * `uniformBias`, exponentially small for τ ≪ min(θ, 1−θ) but τ·log 2 in the limit θ → 0, first order and not fourth.
 */
export function icdfBiasExpansion(F: ReferenceDistribution, theta: number, tau: number): number {
  checkArguments(theta, tau);
  return HALF_SECOND_MOMENT * tau * tau * F.pdfSlope(F.quantile(theta));
}

/** Theorem 3 for F = N(0, σ²): −τ²π^(3/2)·e·exp(−e²)/(6σ²), e = erf⁻¹(2θ − 1). */
export function normalBiasExpansion(sigma: number, theta: number, tau: number): number {
  checkArguments(theta, tau);
  const e = -inverseErfc(2 * theta);
  return (-(tau * tau) * Math.PI ** 1.5 * e * Math.exp(-e * e)) / (6 * sigma * sigma);
}

/** Theorem 3 for Gumbel softmax: τ²π²θ(1−θ)(1−2θ)/6. */
export function gumbelBiasExpansion(theta: number, tau: number): number {
  checkArguments(theta, tau);
  return HALF_SECOND_MOMENT * tau * tau * theta * (1 - theta) * (1 - 2 * theta);
}

/** The exact bias under the uniform F in closed form: τ·[log(1 + e^(−θ/τ)) − log(1 + e^(−(1−θ)/τ))]. */
export function uniformBias(theta: number, tau: number): number {
  checkArguments(theta, tau);
  return tau * (Math.log1p(Math.exp(-theta / tau)) - Math.log1p(Math.exp(-(1 - theta) / tau)));
}

/**
 * r(θ) of the tuning guidance: bias(y₁)/bias(z) ≈ (τ_Gumbel·σ/τ_ICDF)²·r(θ) for F = N(0, σ²). Symmetric and concave,
 * 1/2 at θ = 1/2, falling to 0 like 1/(2·log(1/θ)) at the ends.
 */
export function biasRatio(theta: number): number {
  checkArguments(theta, 1);
  if (theta === 0.5) return 0.5;
  const e = -inverseErfc(2 * theta);
  return (Math.sqrt(Math.PI) * theta * (1 - theta) * (2 * theta - 1)) / (e * Math.exp(-e * e));
}

/**
 * The θ for which |bias| of ICDF under N(0, σ²) is, to leading order, at most that of Gumbel: r(θ) ≥ (ratio·σ)^−2, with
 * ratio = τ_Gumbel/τ_ICDF. Null when ratio·σ < √2, where Gumbel's is smaller for every θ ≠ 1/2.
 */
export function icdfAdvantageInterval(sigma: number, temperatureRatio = 1): readonly [number, number] | null {
  const level = (temperatureRatio * sigma) ** -2;
  if (!(level <= 0.5)) return null;
  let below = Math.log(1e-300);
  let above = Math.log(0.5);
  for (let step = 0; step < 80; step++) {
    const middle = (below + above) / 2;
    if (biasRatio(Math.exp(middle)) < level) below = middle;
    else above = middle;
  }
  return [Math.exp(above), 1 - Math.exp(above)];
}

/** log(1/t − 1), ±∞ at the ends. */
function logOddsAgainst(t: number): number {
  return Math.log1p(-t) - Math.log(t);
}

/**
 * ∫ f over [from, to] by the tanh-sinh rule, halving the step until two refinements in a row change nothing: it
 * converges exponentially for f analytic inside, whatever it does at the ends.
 */
function integrate(f: (m: number) => number, from: number, to: number): number {
  const radius = (to - from) / 2;
  if (radius === 0) return 0;
  const term = (u: number) => {
    const s = (Math.PI / 2) * Math.sinh(u);
    const share = 1 / (1 + Math.exp(2 * Math.abs(s))); // distance to the nearer end over 2·radius
    const m = s < 0 ? from + 2 * radius * share : to - 2 * radius * share;
    return (f(m) * radius * (Math.PI / 2) * Math.cosh(u)) / Math.cosh(s) ** 2;
  };
  const reach = 3.5; // the nodes beyond weigh less than 1e-20
  let sum = term(0);
  let previous = Number.NaN;
  let agreed = 0;
  for (let level = 0; level < 14; level++) {
    const step = 2 ** -level;
    for (let k = 1; k * step <= reach; k += level === 0 ? 1 : 2) sum += term(k * step) + term(-k * step);
    const value = sum * step;
    agreed = Math.abs(value - previous) <= 1e-16 + 1e-14 * Math.abs(value) ? agreed + 1 : 0;
    if (agreed === 2) return value;
    previous = value;
  }
  return previous;
}

function checkArguments(theta: number, tau: number, t = 0): void {
  expectArgument(theta > 0 && theta < 1, 'edge probability', 'must be in (0, 1)', theta);
  expectArgument(tau > 0, 'temperature', 'must be positive', tau);
  expectArgument(t >= 0 && t <= 1, 'sample value', 'must be in [0, 1]', t);
}
