// What the experiment on theory chooses, and what each of its parts gives.
import { normal } from '../../core/theory/reference-distribution.ts';
import {
  gumbelBias,
  gumbelBiasExpansion,
  gumbelCdf,
  icdfBias,
  icdfBiasExpansion,
  icdfCdf,
} from '../../core/theory/relaxation-theory.ts';
import type { ExperimentResult } from '../experiment.ts';

export interface TheoryConfig {
  title: string;
  seed: number;
  /** Number of samples for each relaxation, θ and τ. */
  samples: number;
  /** Values of τ. */
  temperatures: number[];
  cdfThetas: number[];
  biasThetas: number[];
  /** The sign of the bias is taken at this many θ, evenly spaced inside (0, 1); an odd number includes 1/2. */
  signThetas: number;
  signTemperatures: number[];
  /** Values of σ, of the normal reference, for which the interval of the smaller bias is stated. */
  sigmas: number[];
  /** Values of θ₁, of the intervals [θ₁, 1 − θ₁], for which the σ that it takes is stated. */
  intervalEnds: number[];
  acceptedBiases: number[];
  /** Width d of the matrices for Sinkhorn–Knopp. */
  matrixWidth: number;
  /** Weights of the permutation that K₀ mixes with a random matrix. */
  permutationWeights: number[];
  plottedSweeps: number;
}

/** What a part of the experiment adds to its result. */
export type Findings = Pick<ExperimentResult, 'tables' | 'figures' | 'values' | 'remarks'>;

export interface RelaxationTheory {
  /** Its name in tables and keys. */
  name: string;
  /** Its name in the kernels. */
  kind: 'normal' | 'gumbel';
  cdf(theta: number, tau: number, t: number): number;
  bias(theta: number, tau: number): number;
  expansion(theta: number, tau: number): number;
}

const standardNormal = normal();

/** The two relaxations of the paper. */
export const RELAXATIONS: readonly RelaxationTheory[] = [
  {
    name: 'ICDF',
    kind: 'normal',
    cdf: (theta, tau, t) => icdfCdf(standardNormal, theta, tau, t),
    bias: (theta, tau) => icdfBias(standardNormal, theta, tau),
    expansion: (theta, tau) => icdfBiasExpansion(standardNormal, theta, tau),
  },
  { name: 'Gumbel', kind: 'gumbel', cdf: gumbelCdf, bias: gumbelBias, expansion: gumbelBiasExpansion },
];
