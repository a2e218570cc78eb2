// Theorem 5: the error of Sinkhorn–Knopp falls like σ₂^{2j}, σ₂ being the second singular value of its limit.
import type { Engine } from '../../core/engine/engine.ts';
import { sinkhorn } from '../../core/ops/sinkhorn.ts';
import { RandomStream } from '../../core/random.ts';
import { columnSums, literalSweeps, rowSums } from '../../core/reference/sinkhorn.ts';
import type { Cell, ResultFigure } from '../../figures/result.ts';
import { paperPreset } from '../../fuse/fusion-config.ts';
import type { Findings, TheoryConfig } from './theory-config.ts';

/** The slope is fitted where the error is small enough for the theorem and large enough for float64. */
const FITTED = { from: 1e-8, to: 1e-13 } as const;
const MOST_SWEEPS = 20_000;
/** The table counts the sweeps until the error is below this. */
const REACHED = 1e-6;
/** Sweeps of the recursion as the supplement prints it. */
const LITERAL_SWEEPS = 200;
const MATRIX_STREAM = 1;
const POWER_STREAM = 2;

export interface SinkhornCourse {
  /** σ₂ of the limit. */
  sigma2: number;
  /** The error before the first sweep and after each: the norm of all row and column sums minus 1. */
  errors: number[];
  /** The fitted slope of log(error) per sweep. */
  slope: number;
  /** The first sweep of the fit. */
  fittedFrom: number;
}

export function sinkhornFindings(config: TheoryConfig, engine: Engine) {
  const { matrixWidth: d, permutationWeights, seed } = config;
  const random = new RandomStream(seed, MATRIX_STREAM);
  const values: Findings['values'] = {};
  const courses = permutationWeights.map((weight) => {
    const k0 = mixedMatrix(random, d, weight);
    return { weight, k0, ...sinkhornCourse(k0, d, seed) };
  });
  const rows = courses.map(({ weight, k0, sigma2, errors, slope }): Cell[] => {
    const expected = 2 * Math.log(sigma2);
    const preset = kernelError(engine, k0, d);
    const needed = errors.findIndex((error) => error < REACHED);
    const row = `Sinkhorn w=${weight}`;
    values[`${row}/σ₂`] = sigma2;
    values[`${row}/slope over 2·log σ₂`] = slope / expected;
    values[`${row}/error after ${paperPreset.sweeps} sweeps`] = preset;
    return [
      String(weight),
      { mean: sigma2, digits: 4 },
      { mean: expected, digits: 4 },
      { mean: slope, digits: 4 },
      { mean: slope / expected, digits: 4 },
      preset.toExponential(1),
      { mean: needed, digits: 0 },
      { mean: matrixError(literalSweeps(k0, d, LITERAL_SWEEPS), d), digits: 3 },
    ];
  });
  const columns = [
    'w',
    'σ₂',
    '2·log σ₂',
    'fitted slope',
    'slope over 2·log σ₂',
    `error after ${paperPreset.sweeps} sweeps`,
    `sweeps to ${REACHED.toExponential()}`,
    `as printed, ${LITERAL_SWEEPS} sweeps`,
  ];
  const note =
    `K₀ = (1 − w)·R + w·Π, ${d}×${d}: R of squared uniforms as hard alignment starts, Π a permutation. Slope of ` +
    `log(error) per sweep, fitted between ${FITTED.from} and ${FITTED.to} in float64; the error after ` +
    `${paperPreset.sweeps} sweeps is the kernel’s.`;
  const findings: Findings = {
    tables: [{ title: 'Sinkhorn–Knopp: error per sweep against σ₂²', columns, rows, note }],
    figures: [figure(courses, config)],
    values,
    remarks: [
      'The supplement prints r_{j+1} = 1 ⊘ (K₀c_j), with the c of the sweep before. Taken literally this does not ' +
        'converge: from a multiple of a doubly stochastic matrix it swings between two multiples for ever (last column ' +
        'of the table). f3 uses c_{j+1}, as Knight does and as Theorem 5 needs.',
    ],
  };
  return { ...findings, ratios: courses.map(({ slope, sigma2 }) => slope / (2 * Math.log(sigma2))) };
}

/** (1 − w)·R + w·Π, whose rows sum to about 1: [d, d] */
function mixedMatrix(random: RandomStream, d: number, weight: number): Float64Array {
  const permutation = random.permutation(d);
  return Float64Array.from({ length: d * d }, (_, at) => {
    const share = permutation[Math.floor(at / d)] === at % d ? weight : 0;
    return ((1 - weight) * 3 * random.centred() ** 2) / d + share;
  });
}

/** Sweeps as `ops/sinkhorn.ts` does, in float64, until the error is down to rounding. `k0` is positive: [d, d] */
export function sinkhornCourse(k0: Float64Array, d: number, seed: number): SinkhornCourse {
  let r: Float64Array = new Float64Array(d).fill(1);
  const errors = [matrixError(k0, d)];
  let limit = k0;
  while (errors.length <= MOST_SWEEPS && (errors.at(-1) as number) > FITTED.to / 10) {
    const c = columnSums(k0, r).map((sum) => 1 / sum);
    r = rowSums(k0, c).map((sum) => 1 / sum);
    limit = k0.map((value, at) => r[Math.floor(at / d)] * value * c[at % d]);
    errors.push(matrixError(limit, d));
  }
  const fitted = errors.map((error, sweep) => ({ sweep, log: Math.log(error) }));
  const window = fitted.filter(({ sweep }) => errors[sweep] < FITTED.from && errors[sweep] > FITTED.to);
  return {
    sigma2: secondSingularValue(limit, d, seed),
    errors,
    slope: slopeOf(window),
    fittedFrom: window[0]?.sweep ?? 0,
  };
}

/** Finds σ₂ of a doubly stochastic P by power iteration on PᵀP, away from the vector of ones. */
export function secondSingularValue(p: Float64Array, d: number, seed: number): number {
  const random = new RandomStream(seed, POWER_STREAM);
  let x: Float64Array = Float64Array.from({ length: d }, () => random.centred());
  let [length, previous] = [1, 0];
  for (let i = 0; i < MOST_SWEEPS && Math.abs(length - previous) > 1e-15 * length; i++) {
    const mean = x.reduce((sum, value) => sum + value, 0) / d;
    const centred = x.map((value) => value - mean);
    const scale = Math.hypot(...centred);
    const next = columnSums(
      p,
      rowSums(
        p,
        centred.map((value) => value / scale),
      ),
    );
    previous = length;
    length = Math.hypot(...next);
    x = next;
  }
  return Math.sqrt(length);
}

/** The error ‖(Kᵀ1 − 1, K1 − 1)‖. */
function matrixError(k: Float64Array, d: number): number {
  const ones = new Float64Array(d).fill(1);
  return Math.hypot(...columnSums(k, ones).map((sum) => sum - 1), ...rowSums(k, ones).map((sum) => sum - 1));
}

/** The error that the kernel leaves after the preset's sweeps: hard alignment has to live with it. */
function kernelError(engine: Engine, k0: Float64Array, d: number): number {
  const tape = engine.inferenceTape();
  const free = tape.constant([1, d, d], k0.map(Math.sqrt));
  const { sweeps } = paperPreset;
  const error = matrixError(Float64Array.from(sinkhorn(tape, free, { parameterisation: 'square', sweeps }).data), d);
  tape.dispose();
  return error;
}

/** The slope of the line through `points`, by least squares. */
function slopeOf(points: { sweep: number; log: number }[]): number {
  const mean = (of: (point: { sweep: number; log: number }) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [sweep, log] = [mean((point) => point.sweep), mean((point) => point.log)];
  return mean((point) => (point.sweep - sweep) * (point.log - log)) / mean((point) => (point.sweep - sweep) ** 2);
}

function figure(courses: ({ weight: number } & SinkhornCourse)[], { plottedSweeps }: TheoryConfig): ResultFigure {
  const points = courses.flatMap(({ weight, errors, sigma2, fittedFrom }) => {
    const anchor = errors[fittedFrom];
    return errors.slice(1, plottedSweeps + 1).flatMap((error, i) => [
      { weight, sweep: i + 1, error, line: 'measured' },
      { weight, sweep: i + 1, error: anchor * sigma2 ** (2 * (i + 1 - fittedFrom)), line: 'C·σ₂^{2j}' },
    ]);
  });
  return {
    name: 'theory-sinkhorn',
    title: 'Error of Sinkhorn–Knopp',
    caption: 'The closer K₀ is to a permutation (w), the nearer σ₂ is to 1 and the slower the sweeps converge.',
    specification: {
      width: 420,
      height: 260,
      data: { values: points },
      mark: { type: 'line', strokeWidth: 1.5 },
      encoding: {
        x: { field: 'sweep', type: 'quantitative', title: 'sweeps j' },
        y: {
          field: 'error',
          type: 'quantitative',
          scale: { type: 'log' },
          axis: { format: '.0e', tickCount: 6 },
          title: 'error of row and column sums',
        },
        color: { field: 'weight', type: 'nominal', title: 'w' },
        strokeDash: { field: 'line', type: 'nominal', title: null, sort: ['measured', 'C·σ₂^{2j}'] },
      },
    },
  };
}
