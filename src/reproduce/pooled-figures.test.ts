import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SPLIT_NAMES } from './data-splits.ts';
import { DATASETS } from './experiment.ts';
import { pooledScore, pooledTables } from './pooled-figures.ts';

const folder = join(import.meta.dirname, '../../experiments/pooled');

describe('figures of models on pooled readings', () => {
  it('are scores, on splits that our advice is measured on too', () => {
    const { datasets } = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'));
    for (const [dataset, splits] of Object.entries<Record<string, Record<string, { f1: number; auc: number }>>>(
      datasets,
    )) {
      expect(DATASETS).toContain(dataset);
      for (const [split, models] of Object.entries(splits)) {
        expect(SPLIT_NAMES).toContain(split);
        for (const { f1, auc } of Object.values(models)) {
          expect(f1).toBeGreaterThan(0.2);
          expect(auc).toBeGreaterThan(0.5);
          expect(Math.max(f1, auc)).toBeLessThanOrEqual(1);
        }
      }
    }
  });

  it('stand in a table that says who made them, and that this command did not', () => {
    const [f1, auc] = pooledTables('metr-la', 2);
    expect(f1.columns.slice(0, 3)).toEqual(['row', 'model', 'fixed']);
    expect(f1.rows[0].slice(0, 2)).toEqual(['pooled boosting', 'boosted trees on pooled readings']);
    expect(f1.rows[0][2]).toEqual(pooledScore('metr-la', 'fixed', 'boosting', 'f1'));
    expect(auc.title).toBe('ROC AUC of models on pooled readings, the ceiling');
    for (const { note } of [f1, auc]) {
      expect(note).toContain('Not run by this command');
      expect(note).toMatch(/scikit-learn \d/);
    }
  });

  it('were made with the packages that the requirements pin', () => {
    const pinned = readFileSync(join(folder, 'requirements.txt'), 'utf8').trim().split('\n');
    const { versions } = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'));
    for (const line of pinned) {
      const [name, version] = line.split('==');
      expect(versions[name]).toBe(version);
    }
  });
});
