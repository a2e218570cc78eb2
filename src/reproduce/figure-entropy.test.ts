import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { toyBundles } from '../../test/support/toy-bundles.ts';
import { svgFigure } from '../figures/svg-figure.ts';
import type { ExperimentContext } from './experiment.ts';
import { figureEntropy } from './figure-entropy.ts';

const context: ExperimentContext = { data: '', cache: '', seeds: 1, progress: () => undefined };

describe('figure-entropy', () => {
  it('counts every sample once and draws the histogram', async () => {
    const { bundles } = toyBundles(temporaryDirectory(), { owners: 6, samples: 80 });
    const { values, figures, simulated, tables } = await figureEntropy(context, { dataset: 'metr-la', bundles });
    expect(simulated).toBe(false);
    expect(values['metr-la/samples']).toBe(80);
    expect(values['metr-la/mean']).toBeGreaterThan(0);
    expect(values['metr-la/mean']).toBeLessThan(Math.log(2));
    expect(tables[0].rows[0]).toHaveLength(tables[0].columns.length);
    const { data } = figures[0].specification as unknown as { data: { values: { count: number }[] } };
    expect(data.values.reduce((sum, { count }) => sum + count, 0)).toBe(80);
    expect(await svgFigure(figures[0].specification)).toContain('<path');
  });

  it('says so where the data is simulated', async () => {
    const { bundles } = toyBundles(temporaryDirectory(), { owners: 2, samples: 20 });
    const { simulated, figures, summary } = await figureEntropy(context, { dataset: 'pmu-c', bundles });
    expect(simulated).toBe(true);
    expect(figures[0].title).toContain('(simulated)');
    expect(summary).toContain('(simulated)');
  });

  it('refuses a folder without bundles', async () => {
    const bundles = temporaryDirectory();
    await expect(figureEntropy(context, { dataset: 'metr-la', bundles })).rejects.toThrow('must hold .arrow files');
  });
});
