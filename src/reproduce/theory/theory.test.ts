import { beforeAll, describe, expect, it } from 'vitest';
import { gumbelBias, icdfAdvantageInterval } from '../../core/theory/relaxation-theory.ts';
import { svgFigure } from '../../figures/svg-figure.ts';
import type { ExperimentContext, ExperimentResult } from '../experiment.ts';
import { theory } from './theory.ts';
import { largestDistance } from './theory-cdf.ts';
import { secondSingularValue, sinkhornCourse } from './theory-sinkhorn.ts';
import { exactAdvantage, largestTemperature } from './theory-temperature.ts';

const context = (): ExperimentContext & { stages: Set<string> } => {
  const stages = new Set<string>();
  return { data: '', cache: '', seeds: 1, stages, progress: (stage) => stages.add(stage) };
};

const TINY = {
  samples: 20_000,
  temperatures: [0.1, 0.3],
  cdfThetas: [0.3],
  biasThetas: [0.1, 0.5],
  signThetas: 9,
  signTemperatures: [0.1, 3],
  sigmas: [1, 2.5],
  intervalEnds: [0.01],
  acceptedBiases: [0.005],
  matrixWidth: 5,
  permutationWeights: [0, 0.6],
};

describe('theory', () => {
  const run = context();
  let result: ExperimentResult;
  beforeAll(async () => {
    result = await theory(run, { config: TINY });
  });

  it('agrees with the kernels, with Theorem 4 and with σ₂²', () => {
    const { values } = result;
    expect(run.stages).toEqual(new Set(['CDF', 'bias', 'temperature']));
    expect(values['CDF/largest distance']).toBeLessThan(values['CDF/distance that chance passes once in 1000']);
    expect(values['bias/worst simulation in standard errors']).toBeLessThan(4);
    expect(values['sign ICDF/as Theorem 4 says']).toBe(18);
    expect(values['sign Gumbel/as Theorem 4 says']).toBe(18);
    expect(values['[0.01, 0.99]/σ']).toBeCloseTo(2.528, 3);
    expect(values['Sinkhorn w=0.6/slope over 2·log σ₂']).toBeCloseTo(1, 1);
    expect(Object.values(values).every(Number.isFinite)).toBe(true);
  });

  it('gives the same twice', async () => {
    expect((await theory(context(), { config: TINY })).values).toEqual(result.values);
  });

  it('gives tables whose rows fit their columns and figures that can be drawn', async () => {
    const { tables, figures } = result;
    for (const { columns, rows, title } of tables) {
      for (const row of rows) expect(row, title).toHaveLength(columns.length);
    }
    expect(figures.map(({ name }) => name)).toEqual(['theory-cdf', 'theory-bias', 'theory-ratio', 'theory-sinkhorn']);
    for (const { specification } of figures) expect(await svgFigure(specification)).toContain('<path');
  });

  it('stops when it is told to', async () => {
    const signal = AbortSignal.abort();
    await expect(theory({ ...context(), signal }, { config: TINY })).rejects.toThrow('aborted');
  });
});

describe('the distance of CDFs', () => {
  it('is the largest gap on either side of a step, leaving out what rounded to 0 or 1', () => {
    const samples = Float32Array.of(0, 0.25, 0.5, 0.5, 1);
    expect(largestDistance(samples, (t) => t)).toBeCloseTo(0.3, 12);
  });
});

describe('advice on τ', () => {
  it('gives the τ whose worst bias is what was accepted', () => {
    const tau = largestTemperature(gumbelBias, 0.005);
    const worst = (at: number) => Math.max(...Array.from({ length: 200 }, (_, i) => gumbelBias((i + 1) / 400, at)));
    expect(worst(tau)).toBeCloseTo(0.005, 5);
  });

  it('has exact intervals that tend to those of the expansion as τ falls', () => {
    const [leading] = icdfAdvantageInterval(2) ?? [];
    expect(exactAdvantage(2, 0.01)).toBeCloseTo(leading as number, 4);
    expect(exactAdvantage(1, 0.01)).toBeUndefined();
  });
});

describe('Sinkhorn’s course', () => {
  it('falls by σ₂² per sweep', () => {
    const k0 = Float64Array.of(3, 1, 1, 2, 5, 1, 1, 1, 4);
    const { sigma2, slope, errors } = sinkhornCourse(k0, 3, 1);
    expect(slope / (2 * Math.log(sigma2))).toBeCloseTo(1, 1);
    expect(errors.at(-1)).toBeLessThan(1e-13);
  });

  it('knows σ₂ of a matrix whose singular values are 1, ½, ½', () => {
    const p = Float64Array.from({ length: 9 }, (_, at) => (at % 4 === 0 ? 2 / 3 : 1 / 6));
    expect(secondSingularValue(p, 3, 1)).toBeCloseTo(0.5, 12);
  });
});
