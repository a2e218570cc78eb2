// Reference distributions F of the ICDF reparameterization z = σ((F⁻¹(θ) − s)/τ), s ~ F (Definition 1).
import { CoreError, expectArgument } from '../errors.ts';
import { erfc, inverseErfc } from './inverse-error-function.ts';

export interface ReferenceDistribution {
  readonly name: string;
  /** F(x); 0 and 1 outside the support, also at ±∞. */
  cdf(x: number): number;
  /** F′(x). */
  pdf(x: number): number;
  /** F″(x), the source of the bias (Theorem 3). */
  pdfSlope(x: number): number;
  /** F⁻¹(p), 0 < p < 1. */
  quantile(p: number): number;
  /** The least closed interval [a, b] with F(a) = 0 and F(b) = 1; a and b may be infinite. */
  readonly support: readonly [number, number];
}

export type ReferenceName = 'normal' | 'logistic' | 'uniform';

const NAMES = 'normal, logistic or uniform';

const REAL_LINE = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;

/** N(0, σ²). Only τ/σ matters to z: a larger σ is a lower temperature. */
export function normal(sigma = 1): ReferenceDistribution {
  const fits = sigma > 0 && sigma < Number.POSITIVE_INFINITY;
  expectArgument(fits, 'normal reference sigma', 'must be positive and finite', sigma);
  const pdf = (x: number) => Math.exp(-((x / sigma) ** 2) / 2) / (sigma * Math.sqrt(2 * Math.PI));
  return {
    name: 'normal',
    cdf: (x) => erfc(-x / (sigma * Math.SQRT2)) / 2,
    pdf,
    pdfSlope: (x) => -(x / (sigma * sigma)) * pdf(x),
    quantile: (p) => -sigma * Math.SQRT2 * inverseErfc(2 * probability('normal', p)),
    support: REAL_LINE,
  };
}

/** The standard logistic distribution; with it z is the binary concrete variable, that is Gumbel softmax's y₁. */
export const logistic: ReferenceDistribution = {
  name: 'logistic',
  cdf: sigmoid,
  pdf: (x) => sigmoid(x) * sigmoid(-x),
  pdfSlope: (x) => sigmoid(x) * sigmoid(-x) * (sigmoid(-x) - sigmoid(x)),
  quantile: (p) => Math.log(probability('logistic', p)) - Math.log1p(-p),
  support: REAL_LINE,
};

/** The uniform distribution on (0, 1); F″ is 0 inside, and F has a kink at either end. */
export const uniform: ReferenceDistribution = {
  name: 'uniform',
  cdf: (x) => Math.min(1, Math.max(0, x)),
  pdf: (x) => (x > 0 && x < 1 ? 1 : 0),
  pdfSlope: () => 0,
  quantile: (p) => probability('uniform', p),
  support: [0, 1],
};

const standardNormal = normal();

/** The distribution of that name; `normal` is N(0, 1), the paper's choice. */
export function referenceDistribution(name: ReferenceName): ReferenceDistribution {
  switch (name) {
    case 'normal':
      return standardNormal;
    case 'logistic':
      return logistic;
    case 'uniform':
      return uniform;
    default:
      throw new CoreError('F3_ARGUMENT', `reference distribution: must be ${NAMES}, got ${String(name)}`);
  }
}

/** σ(x) = 1/(1 + e^−x), with small relative error in both tails. */
export function sigmoid(x: number): number {
  if (x >= 0) return 1 / (1 + Math.exp(-x));
  const odds = Math.exp(x);
  return odds / (1 + odds);
}

function probability(name: ReferenceName, p: number): number {
  expectArgument(p > 0 && p < 1, `${name} quantile probability`, 'must be in (0, 1)', p);
  return p;
}
