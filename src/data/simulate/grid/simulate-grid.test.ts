import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openDataset } from '../../dataset/dataset.ts';
import { simulateGrid } from './simulate-grid.ts';

const folder = mkdtempSync(join(tmpdir(), 'f3-grid-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const small = { preset: 'pmu-b', owners: 6, samples: 40, seed: 3 } as const;

test('the data are the same bits for one worker and for three', async () => {
  const [one, three] = [join(folder, 'one'), join(folder, 'three')];
  await simulateGrid({ ...small, out: one, workers: 1 });
  await simulateGrid({ ...small, out: three, workers: 3 });
  const files = readdirSync(one, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBe(3 * 6 + 6);
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name);
    expect(readFileSync(path.replace(one, three)).equals(readFileSync(path)), path).toBe(true);
  }
});

test('a data set opens, has the classes asked for, per-unit readings and its truth apart', async () => {
  const out = join(folder, 'plain');
  const seen: string[] = [];
  const report = await simulateGrid({ ...small, out }, (stage, done, total) => seen.push(`${stage} ${done}/${total}`));
  expect(report).toMatchObject({ owners: 6, samples: 40, classes: [24, 4, 2, 10] });
  expect(seen).toContain('simulating events 40/40');
  expect(seen).toContain('writing owners 6/6');
  const dataset = await openDataset(out);
  expect(dataset.simulated).toBe(true);
  expect(dataset.graph).toBeUndefined();
  expect(dataset.source).toMatchObject({ kind: 'grid', seed: 3, units: 'per unit', classCounts: [24, 4, 2, 10] });
  let rows = 0;
  for (const id of dataset.owners) {
    const owner = await dataset.owner(id);
    expect(owner).toMatchObject({ length: 30, variates: ['voltage', 'current'], rate: '30 Hz' });
    rows += owner.samples.length;
    const voltages = owner.windows.filter((_, k) => k % 2 === 0).sort();
    const median = voltages[voltages.length >> 1];
    expect(median).toBeGreaterThan(0.9);
    expect(median).toBeLessThan(1.1);
  }
  expect(report.missing).toBeCloseTo(1 - rows / 240, 12);
  for (const name of ['grid.json', 'events.jsonl', 'electrical-distance.csv']) {
    expect(existsSync(join(out, 'truth', name))).toBe(true);
  }
  const events = readFileSync(join(out, 'truth', 'events.jsonl'), 'utf8')
    .trim()
    .split('\n');
  expect(events.map((line) => JSON.parse(line).class)).toEqual(Array.from(dataset.labels, (y) => dataset.classes[y]));
});

test('heterogeneous owners differ in rate and variates', async () => {
  const out = join(folder, 'mixed');
  await simulateGrid({ ...small, owners: 30, samples: 20, heterogeneous: true, out });
  const dataset = await openDataset(out);
  const [rates, variates] = [new Set<string>(), new Set<string>()];
  for (const id of dataset.owners) {
    const owner = await dataset.owner(id);
    expect(owner.rate).toBe(`${owner.length} Hz`);
    rates.add(owner.rate);
    variates.add(owner.variates.join());
  }
  expect(rates).toEqual(new Set(['30 Hz', '60 Hz']));
  expect(variates).toEqual(new Set(['voltage,current', 'voltage', 'current']));
});

test('a simulation that is interrupted ends at once and leaves nothing behind', async () => {
  const controller = new AbortController();
  const progress = (_: string, done: number) => done === 3 && controller.abort(new Error('interrupted'));
  const out = join(folder, 'interrupted');
  const run = simulateGrid({ ...small, out, workers: 2, signal: controller.signal }, progress);
  await expect(run).rejects.toThrow('interrupted');
  expect(readdirSync(folder).filter((name) => name.includes('interrupted'))).toEqual([]);
});

test('a bad option is named with its rule, and nothing is written', async () => {
  const out = join(folder, 'bad');
  await expect(simulateGrid({ ...small, samples: 5, out })).rejects.toThrow(
    'samples: must be an integer from 20 to 1000000, got 5',
  );
  await expect(simulateGrid({ ...small, preset: 'pmu-x' as 'pmu-b', out })).rejects.toThrow('pmu-b, pmu-c, got pmu-x');
  expect(existsSync(out)).toBe(false);
});
