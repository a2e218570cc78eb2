import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { suiteDirectory } from '../../../test/support/temporary-directory.ts';
import { toyTraffic } from '../../../test/support/toy-traffic.ts';
import type { ExperimentContext } from '../experiment.ts';
import { findDataset } from '../find-dataset.ts';
import type { ScoreRow } from './score-row.ts';
import { scoreRows } from './score-rows.ts';

describe('a row that is searched for', () => {
  const dir = suiteDirectory();
  const notes: string[] = [];
  const context: ExperimentContext = {
    data: dir,
    cache: join(dir, 'cache'),
    seeds: 1,
    threads: 1,
    progress: (_stage, _done, _total, { note = '' } = {}) => notes.push(note),
  };
  const rows: ScoreRow[] = [
    { id: 'alone', name: 'without a search', owners: 'plain', preset: 'recommended', fusion: {} },
    { id: 'searched', name: 'a search', owners: 'plain', preset: 'recommended', fusion: {}, search: { fits: 3 } },
  ];
  beforeAll(() => toyTraffic(dir));

  it('is the model of that search, with owners absent too, and not searched for again', async () => {
    const dataset = await findDataset('metr-la', context);
    const [alone, searched] = await scoreRows(dataset, rows, context, { absent: [0.3] });
    expect(searched.model).not.toBe(alone.model);
    const model = searched.model as string;
    const { search } = JSON.parse(readFileSync(join(model, 'model.json'), 'utf8'));
    expect(search).toMatchObject({ fits: 3, budget: { fits: 3 } });
    expect(searched.test.auc).toBeGreaterThan(0.5);
    expect(searched.absence).toHaveLength(1);
    expect(notes).toContain('row searched, seed 1, 3 of 3 fits');
    // The fits themselves are in the way once the model is kept.
    expect(existsSync(join(model, '..', 'search'))).toBe(false);
    const runs = readdirSync(join(context.cache, 'runs'));
    notes.length = 0;
    expect(await scoreRows(dataset, rows, context, { absent: [0.3] })).toEqual([alone, searched]);
    expect(notes.join()).not.toContain('fits');
    expect(readdirSync(join(context.cache, 'runs'))).toEqual(runs);
  });
});
