import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { toyBundles } from '../../../test/support/toy-bundles.ts';
import { svgFigure } from '../../figures/svg-figure.ts';
import type { ExperimentContext } from '../experiment.ts';
import { table4 } from './table-4.ts';

const context: ExperimentContext = { data: '', cache: '', seeds: 1, threads: 1, progress: () => undefined };

describe('table-4', () => {
  it('times both relaxations per example and per batch, each in a process of its own', async () => {
    const seen: number[] = [];
    const run = { ...context, progress: (_: string, done: number) => seen.push(done) };
    const sizes = { owners: 9, samples: 60, missing: 0.2 };
    const result = await table4(run, { dataset: 'pmu-b', sizes, config: { epochs: 2, batch: 20 } });
    expect(seen).toEqual([1, 2, 3, 4]);
    const [costs, ratios] = result.tables;
    expect(costs.rows).toHaveLength(4);
    for (const { columns, rows } of result.tables) for (const row of rows) expect(row).toHaveLength(columns.length);
    expect(costs.rows.flat().some((cell) => typeof cell !== 'string' && cell.paper !== undefined)).toBe(false);
    expect(ratios.rows[0][1]).toMatchObject({ paper: 42.4 / 30.16 });
    expect(result.values['pmu-b icdf per example/seconds']).toBeGreaterThan(0);
    expect(result.values['pmu-b icdf per example/peak MB']).toBeGreaterThan(20);
    expect(result.remarks.join()).toContain('20 % of them missing');
    expect(await svgFigure(result.figures[0].specification)).toContain('<path');
  });

  it('takes the embeddings of bundles, owners that saw less included', async () => {
    const saw = (owner: number, sample: number) => owner > 0 || sample % 2 === 0;
    const { bundles } = toyBundles(temporaryDirectory(), { owners: 3, samples: 40, saw });
    const config = { epochs: 1, graphsPer: ['batch' as const] };
    const { summary, tables } = await table4(context, { dataset: 'metr-la', bundles, config });
    expect(summary).toContain('3 owners, 40 samples: per batch');
    expect(tables[0].rows).toHaveLength(2);
  });

  it('measures the peak of the run, not of the process that started it', async () => {
    const large = new Float64Array(40e6).fill(1);
    const sizes = { owners: 3, samples: 20 };
    const config = { epochs: 1, graphsPer: ['batch' as const] };
    const { values } = await table4(context, { dataset: 'metr-la', sizes, config });
    expect(values['metr-la icdf per batch/peak MB']).toBeLessThan(large.byteLength / 2 ** 20);
  });
});
