// Theorems 3 and 4: the bias of either relaxation, exact against its O(τ²) expansion against samples of the kernels.
import { setImmediate as pause } from 'node:timers/promises';
import { logistic } from '../../core/theory/reference-distribution.ts';
import { icdfBias } from '../../core/theory/relaxation-theory.ts';
import type { Cell, ResultFigure, ResultTable } from '../../figures/result.ts';
import type { ExperimentContext } from '../experiment.ts';
import type { SimulateEdges } from './simulate-edges.ts';
import { type Findings, RELAXATIONS, type TheoryConfig } from './theory-config.ts';

const CURVE_POINTS = 199;
/** The error of the quadrature. A smaller bias counts as none. */
const ZERO = 1e-15;

interface BiasPoint {
  relaxation: string;
  tau: number;
  theta: number;
  exact: number;
  expansion: number;
  simulated: number;
  error: number;
}

/** Simulates every point and compares. It pauses at each, so that Ctrl-C takes effect. */
export async function biasFindings(
  config: TheoryConfig,
  simulate: SimulateEdges,
  { progress, signal }: ExperimentContext,
) {
  const { biasThetas, temperatures, samples } = config;
  const points: BiasPoint[] = [];
  const total = biasThetas.length * temperatures.length * RELAXATIONS.length;
  for (const tau of temperatures) {
    for (const theta of biasThetas) {
      for (const { name, kind, bias, expansion } of RELAXATIONS) {
        signal?.throwIfAborted();
        const simulated = simulatedBias(simulate(kind, theta, tau, samples));
        const known = { exact: bias(theta, tau), expansion: expansion(theta, tau) };
        points.push({ relaxation: name, tau, theta, ...known, ...simulated });
        progress('bias', points.length, total);
        await pause();
      }
    }
  }
  const offBy = points.map(({ exact, simulated, error }) => Math.abs(simulated - exact) / error);
  const worst = Math.max(...offBy);
  const withinTwo = offBy.filter((off) => off <= 2).length / offBy.length;
  const sign = signs(config);
  const values: Findings['values'] = { 'bias/worst simulation in standard errors': worst, ...sign.values };
  for (const { relaxation, tau, theta, exact, simulated } of points) {
    const row = `bias ${relaxation} τ=${tau} θ=${theta}`;
    values[`${row}/exact`] = exact;
    values[`${row}/simulated`] = simulated;
  }
  const gaps = expansionGaps(config);
  for (const { relaxation, tau, gap } of gaps) values[`bias ${relaxation} τ=${tau}/expansion off by`] = gap;
  const findings: Findings = {
    tables: [...temperatures.map((tau) => biasTable(points, tau, samples)), gapTable(gaps), sign.table],
    figures: [figure(points, config)],
    values,
    remarks: [],
  };
  return { ...findings, worst, withinTwo, agreeing: sign.agreeing, signPoints: sign.points, gaps };
}

/**
 * The mean of z − 1{z > ½} and its standard error. The hard sample has mean θ exactly, so this is the bias, with less noise
 * than z − θ: where z is near 0 or 1 the two cancel.
 */
export function simulatedBias(samples: Float32Array): { simulated: number; error: number } {
  let [sum, squares] = [0, 0];
  for (const z of samples) {
    const softening = z > 0.5 ? z - 1 : z;
    sum += softening;
    squares += softening * softening;
  }
  const mean = sum / samples.length;
  const variance = squares / samples.length - mean * mean;
  return { simulated: mean, error: Math.sqrt(variance / samples.length) };
}

function biasTable(points: BiasPoint[], tau: number, samples: number): ResultTable {
  const columns = ['exact', 'O(τ²)', 'simulated'];
  const thetas = [...new Set(points.map(({ theta }) => theta))];
  const number = (mean: number): Cell => ({ mean: Math.abs(mean) <= ZERO ? 0 : mean, digits: 6 });
  const rows = thetas.map((theta) => [
    String(theta),
    ...points
      .filter((point) => point.tau === tau && point.theta === theta)
      .flatMap(({ exact, expansion, simulated, error }): Cell[] => [
        number(exact),
        number(expansion),
        { mean: simulated, deviation: error, digits: 6 },
      ]),
  ]);
  return {
    title: `Bias at τ = ${tau}`,
    columns: ['θ', ...RELAXATIONS.flatMap(({ name }) => columns.map((column) => `${name}, ${column}`))],
    rows,
    note: `E[z] − θ. Simulated: ${samples} samples, with the standard error of their mean.`,
  };
}

interface Gap {
  relaxation: string;
  tau: number;
  /** Largest |expansion − exact| over the largest |exact|. */
  gap: number;
}

function expansionGaps({ temperatures }: TheoryConfig): Gap[] {
  return temperatures.flatMap((tau) =>
    RELAXATIONS.map(({ name, bias, expansion }) => {
      const pairs = evenly(CURVE_POINTS).map((theta) => [bias(theta, tau), expansion(theta, tau)]);
      const largest = Math.max(...pairs.map(([exact]) => Math.abs(exact)));
      const off = Math.max(...pairs.map(([exact, leading]) => Math.abs(exact - leading)));
      return { relaxation: name, tau, gap: off / largest };
    }),
  );
}

function gapTable(gaps: Gap[]): ResultTable {
  const temperatures = [...new Set(gaps.map(({ tau }) => tau))];
  const cells = (tau: number) => gaps.filter((gap) => gap.tau === tau).map(({ gap }) => ({ mean: gap, digits: 4 }));
  return {
    title: 'How far the O(τ²) expansion is off',
    columns: ['τ', ...RELAXATIONS.map(({ name }) => name)],
    rows: temperatures.map((tau) => [String(tau), ...cells(tau)]),
    note: `Largest |expansion − exact| over the largest |exact bias|, over ${CURVE_POINTS} values of θ.`,
  };
}

/** Counts where Theorem 4 holds. The logistic reference gives Gumbel's law by Theorem 1, with one draw. */
function signs({ signThetas, signTemperatures }: TheoryConfig) {
  const laws = [
    ...RELAXATIONS,
    { name: 'ICDF, logistic', bias: (t: number, tau: number) => icdfBias(logistic, t, tau) },
  ];
  const values: Findings['values'] = {};
  let [agreeing, points] = [0, 0];
  const rows = laws.map(({ name, bias }): Cell[] => {
    const counts = { below: [0, 0], middle: [0, 0], above: [0, 0] };
    for (const tau of signTemperatures) {
      for (const theta of evenly(signThetas)) {
        const value = bias(theta, tau);
        const side = theta < 0.5 ? 'below' : theta > 0.5 ? 'above' : 'middle';
        const holds = { below: value > ZERO, middle: Math.abs(value) <= ZERO, above: value < -ZERO }[side];
        counts[side][0] += holds ? 1 : 0;
        counts[side][1]++;
      }
    }
    const all = Object.values(counts);
    const right = all.reduce((sum, [count]) => sum + count, 0);
    agreeing += right;
    points += all.reduce((sum, [, count]) => sum + count, 0);
    values[`sign ${name}/as Theorem 4 says`] = right;
    return [name, ...all.map(([count, of]) => `${count} of ${of}`)];
  });
  values['sign/points'] = points;
  const table: ResultTable = {
    title: 'Sign of the exact bias (Theorem 4)',
    columns: ['relaxation', 'θ < ½: positive', 'θ = ½: zero', 'θ > ½: negative'],
    rows,
    note: `${signThetas} values of θ × τ in {${signTemperatures.join(', ')}}.`,
  };
  return { table, values, agreeing, points };
}

/** `count` numbers evenly spaced inside (0, 1). */
const evenly = (count: number) => Array.from({ length: count }, (_, i) => (i + 1) / (count + 1));

function figure(points: BiasPoint[], { temperatures }: TheoryConfig): ResultFigure {
  const curves = temperatures.flatMap((tau) =>
    RELAXATIONS.flatMap(({ name: relaxation, bias, expansion }) =>
      evenly(CURVE_POINTS).flatMap((theta) => [
        { relaxation, tau, theta, bias: bias(theta, tau), line: 'exact' },
        { relaxation, tau, theta, bias: expansion(theta, tau), line: 'O(τ²)' },
      ]),
    ),
  );
  const marks = points.map(({ relaxation, tau, theta, simulated, error }) => {
    return { relaxation, tau, theta, simulated, low: simulated - 2 * error, high: simulated + 2 * error };
  });
  const x = { field: 'theta', type: 'quantitative', title: 'θ' } as const;
  const names = RELAXATIONS.map(({ name }) => name);
  const color = { field: 'relaxation', type: 'nominal', title: null, sort: names } as const;
  const simulatedOnly = [{ filter: 'isValid(datum.simulated)' }];
  return {
    name: 'theory-bias',
    title: 'Bias of a relaxed edge',
    caption: 'Points: samples of the kernels, with two standard errors. The scale differs from τ to τ.',
    specification: {
      data: { values: [...curves, ...marks] },
      facet: { column: { field: 'tau', type: 'nominal', title: 'τ' } },
      spec: {
        width: 230,
        height: 220,
        layer: [
          {
            transform: [{ filter: 'isValid(datum.bias)' }],
            mark: { type: 'line', strokeWidth: 1.5 },
            encoding: {
              x,
              y: { field: 'bias', type: 'quantitative', title: 'E[z] − θ' },
              color,
              strokeDash: { field: 'line', type: 'nominal', title: null, sort: ['exact', 'O(τ²)'] },
            },
          },
          {
            transform: simulatedOnly,
            mark: { type: 'rule' },
            encoding: { x, y: { field: 'low', type: 'quantitative' }, y2: { field: 'high' }, color },
          },
          {
            transform: simulatedOnly,
            mark: { type: 'point', filled: true, size: 22 },
            encoding: { x, y: { field: 'simulated', type: 'quantitative' }, color },
          },
        ],
      },
      resolve: { scale: { y: 'independent' } },
    },
  };
}
