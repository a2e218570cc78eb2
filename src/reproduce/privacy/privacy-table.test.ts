import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { suiteDirectory } from '../../../test/support/temporary-directory.ts';
import { toyTraffic } from '../../../test/support/toy-traffic.ts';
import { runExperiment } from '../run-experiment.ts';
import { constantF1 } from './privacy-table.ts';
import { noiseFor } from './seeded-noise.ts';

describe('the table of privacy', () => {
  const dir = suiteDirectory();
  const cache = join(dir, 'cache');
  const stages = new Set<string>();
  const progress = (stage: string) => void stages.add(stage.replace(/ \(.*/, ''));
  const run = () =>
    runExperiment('privacy', 'metr-la', { data: dir, cache, seeds: 1, threads: 1, progress }, [
      'plain',
      'ε 8',
      'd 2 λ .3 ε 40',
    ]);
  beforeAll(() => toyTraffic(dir, { sensors: 4, days: 5 }));

  it('measures what is recovered and what is scored, runs nothing twice, and draws the same noise again', async () => {
    const { values, tables, figures, isRecordable } = await run();
    expect(values['plain/mean recovered']).toBeGreaterThan(0.8);
    expect(values['ε 8/mean recovered']).toBeLessThan(values['plain/mean recovered']);
    expect(values['plain/auc']).toBeGreaterThan(0.7);
    expect(tables[0].rows.map(([id]) => id)).toEqual(['plain', 'ε 8', 'd 2 λ .3 ε 40']);
    expect(tables[1].rows.map((row) => row[1])).toEqual(['16', '16', '2']);
    expect(figures.map(({ name }) => name)).toEqual(['privacy-metr-la']);
    expect(tables[0].note).toMatch(/Always naming rush has F1 0\.\d+/);
    expect(isRecordable).toBe(false);
    const kept = readdirSync(join(cache, 'runs')).sort();
    stages.clear();
    expect((await run()).values).toEqual(values);
    expect(readdirSync(join(cache, 'runs')).sort()).toEqual(kept);
    expect([...stages]).toEqual(['metr-la: rows']);
  });

  it('trains owners under a shield from the models that the bottleneck alone has left', async () => {
    await run();
    const cards = (label: RegExp) => {
      const [found] = readdirSync(join(cache, 'owners')).filter((name) => label.test(name));
      const owners = join(cache, 'owners', found, 'owners');
      return readdirSync(owners).map((owner) => JSON.parse(readFileSync(join(owners, owner, 'model.json'), 'utf8')));
    };
    const narrow = cards(/^metr-la-gru-long-2-[0-9a-f]{12}$/);
    const shielded = cards(/-after-label-/);
    expect(shielded.map(({ beforeShield }) => beforeShield.epochs)).toEqual(narrow.map(({ epochs }) => epochs));
    expect(shielded.map(({ options }) => options.shield.weight)).toEqual(narrow.map(() => 0.3));
  });

  it('says what F1 costs nothing: that of naming always the same class', () => {
    expect(constantF1([0, 0, 0, 1], ['calm', 'rush'])).toEqual({ name: 'rush', f1: 0.4 });
    const { name, f1 } = constantF1([0, 1, 1, 2], ['a', 'b', 'c']);
    expect(name).toBe('b');
    expect(f1).toBeCloseTo(2 / 3 / 3, 10); // precision ½ and recall 1 of one class in three
  });

  it('finds the noise of an ε', () => {
    expect(noiseFor(8, 1e-5)).toBeGreaterThan(noiseFor(40, 1e-5));
    expect(noiseFor(8, 1e-5)).toBeCloseTo(1.3, 1);
  });
});
