// Theorems 1 and 2 against samples of the kernels: the largest distance between exact and empirical CDF.
import { setImmediate as pause } from 'node:timers/promises';
import type { Cell, ResultFigure } from '../../figures/result.ts';
import type { ExperimentContext } from '../experiment.ts';
import type { SimulateEdges } from './simulate-edges.ts';
import { type Findings, RELAXATIONS, type TheoryConfig } from './theory-config.ts';

/** Between these float32 tells samples apart: above they round to 1, below the kernels' exponential reaches its end. */
const [LOWEST, HIGHEST] = [1e-30, 1 - 1e-4];
/** The value of √N·D that chance passes once in a thousand, by Kolmogorov. */
const CRITICAL = 1.9495;
const CURVE_POINTS = 99;
const MARKS = 12;

interface CurvePoint {
  relaxation: string;
  theta: number;
  tau: number;
  t: number;
  exact: number;
  simulated?: number;
}

/** Simulates every θ and τ and compares. It pauses at each, so that Ctrl-C takes effect. */
export async function cdfFindings(
  config: TheoryConfig,
  simulate: SimulateEdges,
  { progress, signal }: ExperimentContext,
) {
  const { cdfThetas, temperatures, samples } = config;
  const values: Findings['values'] = {};
  const curves: CurvePoint[] = [];
  const total = cdfThetas.length * temperatures.length * RELAXATIONS.length;
  let [done, largest] = [0, 0];
  const rows: Cell[][] = [];
  for (const theta of cdfThetas) {
    for (const tau of temperatures) {
      const distances: Cell[] = [];
      for (const { name, kind, cdf } of RELAXATIONS) {
        signal?.throwIfAborted();
        const sorted = simulate(kind, theta, tau, samples).sort();
        const exact = (t: number) => cdf(theta, tau, t);
        const distance = largestDistance(sorted, exact);
        largest = Math.max(largest, distance);
        values[`CDF ${name} θ=${theta} τ=${tau}/distance`] = distance;
        curves.push(...curve(sorted, exact).map((point) => ({ relaxation: name, theta, tau, ...point })));
        progress('CDF', ++done, total);
        distances.push({ mean: distance, digits: 5 });
        await pause();
      }
      rows.push([String(theta), String(tau), ...distances]);
    }
  }
  values['CDF/largest distance'] = largest;
  const bound = CRITICAL / Math.sqrt(samples);
  values['CDF/distance that chance passes once in 1000'] = bound;
  const note =
    `Largest distance between the exact CDF (Theorems 1 and 2) and that of ${samples} samples of the kernels, over t in ` +
    `[${LOWEST}, ${HIGHEST}], where float32 tells samples apart. Chance alone passes ${bound.toPrecision(2)} once in ` +
    'a thousand.';
  const findings: Findings = {
    tables: [{ title: 'CDF of a relaxed edge: exact against simulation', columns: columns(), rows, note }],
    figures: [figure(curves)],
    values,
    remarks: [],
  };
  return { ...findings, largest, bound };
}

const columns = () => ['θ', 'τ', ...RELAXATIONS.map(({ name }) => `${name}, distance`)];

/** The supremum of |empirical − exact| over t in [LOWEST, HIGHEST], for samples in ascending order. */
export function largestDistance(sorted: Float32Array, cdf: (t: number) => number): number {
  const count = sorted.length;
  let distance = 0;
  for (let i = 0; i < count && sorted[i] <= HIGHEST; i++) {
    if (sorted[i] < LOWEST) continue;
    const exact = cdf(sorted[i]);
    distance = Math.max(distance, exact - i / count, (i + 1) / count - exact);
  }
  return distance;
}

/** The exact curve on an even grid of t, with simulated values at some of its points. */
function curve(sorted: Float32Array, cdf: (t: number) => number) {
  const every = Math.ceil(CURVE_POINTS / MARKS);
  return Array.from({ length: CURVE_POINTS }, (_, i) => {
    const t = (i + 1) / (CURVE_POINTS + 1);
    const exact = cdf(t);
    return i % every === every >> 1 ? { t, exact, simulated: shareUpTo(sorted, t) } : { t, exact };
  });
}

/** Share of samples ≤ t, by bisection. */
function shareUpTo(sorted: Float32Array, t: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low / sorted.length;
}

function figure(points: CurvePoint[]): ResultFigure {
  const colour = { field: 'tau', type: 'nominal', title: 'τ' } as const;
  const x = { field: 't', type: 'quantitative', title: 't' } as const;
  return {
    name: 'theory-cdf',
    title: 'Pr(relaxed edge ≤ t)',
    caption:
      'Lines: exact, Theorems 1 and 2. Points: samples of the kernels. The flatter the curve, the closer to a Bernoulli ' +
      'variable, which is 1 − θ everywhere between 0 and 1.',
    specification: {
      data: { values: points },
      facet: {
        row: { field: 'theta', type: 'nominal', title: 'θ' },
        column: { field: 'relaxation', type: 'nominal', title: null, sort: RELAXATIONS.map(({ name }) => name) },
      },
      spec: {
        width: 260,
        height: 130,
        layer: [
          {
            mark: { type: 'line', strokeWidth: 1.5 },
            encoding: { x, y: { field: 'exact', type: 'quantitative', title: 'CDF' }, color: colour },
          },
          {
            transform: [{ filter: 'isValid(datum.simulated)' }],
            mark: { type: 'point', filled: true, size: 22 },
            encoding: { x, y: { field: 'simulated', type: 'quantitative' }, color: colour },
          },
        ],
      },
      resolve: { scale: { y: 'shared' } },
    },
  };
}
