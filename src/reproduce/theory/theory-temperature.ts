// The tuning guidance: r(θ), where ICDF has the smaller bias, and the largest τ for a bias that one accepts.
import { MARGIN } from '../../core/ops/edge-quantiles.ts';
import { normal } from '../../core/theory/reference-distribution.ts';
import { biasRatio, gumbelBias, icdfAdvantageInterval, icdfBias } from '../../core/theory/relaxation-theory.ts';
import type { Cell, ResultFigure, ResultTable } from '../../figures/result.ts';
import { paperPreset } from '../../fuse/fusion-config.ts';
import { type Findings, RELAXATIONS, type RelaxationTheory, type TheoryConfig } from './theory-config.ts';

/** The σ that the paper names for the interval [0.01, 0.99]. */
export const PAPER_SIGMA = { end: 0.01, sigma: 2.5 };
/** Within these bounds z(1 − z) is at least 1 % of its largest value. */
const SOFT = [0.0025, 0.9975] as const;

export function temperatureFindings(config: TheoryConfig) {
  const intervals = intervalTable(config);
  const sigmas = sigmaTable(config);
  const advice = adviceTable(config);
  const { temperature } = paperPreset;
  const presetBias = RELAXATIONS.map(({ bias }) => worstBias(bias, temperature));
  const values: Findings['values'] = { ...intervals.values, ...sigmas.values, ...advice.values };
  RELAXATIONS.forEach(({ name }, i) => {
    values[`worst bias ${name} τ=${temperature}/exact`] = presetBias[i];
  });
  const findings: Findings = {
    tables: [intervals.table, sigmas.table, advice.table],
    figures: [figure(config)],
    values,
    remarks: [
      'r(θ) has no minimum at 0 and 1: it tends to 0 like 1/(2·log(1/θ)), so slowly that σ = 2.5 is enough for ' +
        '[0.01, 0.99] (the paper’s example; 2.53 to three digits).',
      adviceRemark(temperature),
    ],
  };
  return { ...findings, presetBias, temperature };
}

/**
 * The θ₁ from which on, up to 1 − θ₁, |bias| of ICDF under N(0, σ²) is at most that of Gumbel, exactly at τ. Undefined
 * where it is so nowhere.
 */
export function exactAdvantage(sigma: number, tau: number): number | undefined {
  const F = normal(sigma);
  const isSmaller = (theta: number) => Math.abs(icdfBias(F, theta, tau)) <= Math.abs(gumbelBias(theta, tau));
  if (!isSmaller(0.49)) return undefined;
  let [below, above] = [Math.log(1e-12), Math.log(0.49)];
  for (let step = 0; step < 50; step++) {
    const middle = (below + above) / 2;
    if (isSmaller(Math.exp(middle))) above = middle;
    else below = middle;
  }
  return Math.exp(above);
}

function intervalTable({ sigmas, temperatures }: TheoryConfig) {
  const values: Findings['values'] = {};
  const shown = (end: number | undefined) => (end === undefined ? 'nowhere' : `[θ, 1 − θ], θ = ${end.toPrecision(3)}`);
  const rows = sigmas.map((sigma): Cell[] => {
    const leading = icdfAdvantageInterval(sigma)?.[0];
    if (leading !== undefined) values[`σ=${sigma}/ICDF ahead from θ`] = leading;
    const exact = temperatures.map((tau) => {
      const end = exactAdvantage(sigma, tau);
      if (end !== undefined) values[`σ=${sigma} τ=${tau}/ICDF ahead from θ`] = end;
      return shown(end);
    });
    return [String(sigma), shown(leading), ...exact];
  });
  const table: ResultTable = {
    title: 'Where ICDF with reference N(0, σ²) has the smaller bias, at equal τ',
    columns: ['σ', 'to O(τ²)', ...temperatures.map((tau) => `exact, τ = ${tau}`)],
    rows,
    note: 'Below σ = √2 it is nowhere. A larger σ is a lower temperature under another name: only τ/σ matters.',
  };
  return { table, values };
}

function sigmaTable({ intervalEnds }: TheoryConfig) {
  const values: Findings['values'] = {};
  const rows = intervalEnds.map((end): Cell[] => {
    const sigma = 1 / Math.sqrt(biasRatio(end));
    values[`[${end}, ${1 - end}]/σ`] = sigma;
    return [
      `[${end}, ${1 - end}]`,
      { mean: biasRatio(end), digits: 4 },
      { mean: sigma, digits: 3, paper: end === PAPER_SIGMA.end ? PAPER_SIGMA.sigma : undefined },
    ];
  });
  const note = `To O(τ²), at equal τ. Edge probabilities are kept within [${MARGIN}, ${1 - MARGIN}].`;
  const columns = ['θ in', 'r at the ends', 'σ'];
  return {
    table: { title: 'σ from which on ICDF has the smaller bias on an interval', columns, rows, note },
    values,
  };
}

/** The largest |bias| over θ. It has one peak below ½ and its mirror image above, found by golden section in log θ. */
function worstBias(bias: RelaxationTheory['bias'], tau: number): number {
  const at = (logTheta: number) => Math.abs(bias(Math.exp(logTheta), tau));
  const golden = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [Math.log(MARGIN), Math.log(0.5)];
  let [left, right] = [high - golden * (high - low), low + golden * (high - low)];
  let [atLeft, atRight] = [at(left), at(right)];
  for (let step = 0; step < 30; step++) {
    if (atLeft > atRight) {
      [high, right, atRight] = [right, left, atLeft];
      left = high - golden * (high - low);
      atLeft = at(left);
    } else {
      [low, left, atLeft] = [left, right, atRight];
      right = low + golden * (high - low);
      atRight = at(right);
    }
  }
  return Math.max(atLeft, atRight);
}

/** The largest τ whose bias stays below `accepted` for every θ. */
export function largestTemperature(bias: RelaxationTheory['bias'], accepted: number): number {
  let [low, high] = [Math.log(1e-4), Math.log(100)];
  for (let step = 0; step < 30; step++) {
    const middle = (low + high) / 2;
    if (worstBias(bias, Math.exp(middle)) <= accepted) low = middle;
    else high = middle;
  }
  return Math.exp(low);
}

function adviceTable({ acceptedBiases }: TheoryConfig) {
  const values: Findings['values'] = {};
  const rows = acceptedBiases.map((accepted): Cell[] => [
    String(accepted),
    ...RELAXATIONS.flatMap(({ name, bias, cdf }): Cell[] => {
      const tau = largestTemperature(bias, accepted);
      values[`bias ≤ ${accepted} ${name}/largest τ`] = tau;
      return [
        { mean: tau, digits: 3 },
        { mean: 100 * softShare(cdf, tau), digits: 0 },
      ];
    }),
  ]);
  const table: ResultTable = {
    title: 'Advice on τ: the largest for a bias that one accepts',
    columns: ['|bias| at most', ...RELAXATIONS.flatMap(({ name }) => [`${name}, τ`, `${name}, % soft`])],
    rows,
    note:
      `Exact, for the worst θ. Soft: share of samples at θ = ½ between ${SOFT[0]} and ${SOFT[1]}, whose slope z(1 − z)/τ ` +
      'is at least 1 % of its largest value; the others pass hardly any gradient on. A lower τ buys less bias with fewer of them.',
  };
  return { table, values };
}

/** Share of samples at θ = ½ that still pass a gradient on. */
function softShare(cdf: RelaxationTheory['cdf'], tau: number): number {
  return cdf(0.5, tau, SOFT[1]) - cdf(0.5, tau, SOFT[0]);
}

function adviceRemark(temperature: number): string {
  const [icdf, gumbel] = RELAXATIONS;
  const bias = worstBias(icdf.bias, temperature);
  const equal = largestTemperature(gumbel.bias, bias);
  const soft = [softShare(icdf.cdf, temperature), softShare(gumbel.cdf, equal)].map((share) =>
    (100 * share).toFixed(0),
  );
  return (
    `Advice: τ = ${temperature} with ICDF moves no edge’s mean by more than ${bias.toFixed(4)} and keeps ${soft[0]} % of the samples ` +
    `soft at θ = ½. Gumbel softmax has that bias at τ = ${equal.toFixed(3)}, with ${soft[1]} % soft: at equal bias neither ` +
    'passes more gradient on, and ICDF needs half the random numbers.'
  );
}

function figure({ sigmas }: TheoryConfig): ResultFigure {
  const ends = [MARGIN, 3 * MARGIN, 10 * MARGIN];
  const grid = Array.from({ length: 399 }, (_, i) => (i + 1) / 400);
  const thetas = [...ends, ...grid, ...ends.map((end) => 1 - end).reverse()];
  const curve = thetas.map((theta) => ({ theta, r: biasRatio(theta) }));
  const levels = sigmas.filter((sigma) => sigma > Math.SQRT2).map((sigma) => ({ sigma, level: sigma ** -2 }));
  return {
    name: 'theory-ratio',
    title: 'r(θ): bias of Gumbel over bias of ICDF, at τ equal and σ = 1',
    caption: 'ICDF with reference N(0, σ²) has the smaller bias where the curve lies above the line of that σ, at σ⁻².',
    specification: {
      width: 420,
      height: 240,
      layer: [
        {
          data: { values: curve },
          mark: { type: 'line', color: '#888888' },
          encoding: {
            x: { field: 'theta', type: 'quantitative', title: 'θ' },
            y: { field: 'r', type: 'quantitative', title: 'r(θ)' },
          },
        },
        {
          data: { values: levels },
          mark: { type: 'rule', strokeDash: [4, 3] },
          encoding: {
            y: { field: 'level', type: 'quantitative' },
            color: { field: 'sigma', type: 'nominal', title: 'σ' },
          },
        },
      ],
    },
  };
}
