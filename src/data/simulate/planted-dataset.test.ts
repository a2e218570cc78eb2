import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { decodeBundle } from '../../exchange/bundle/bundle.ts';
import { checkBundle } from '../../exchange/bundle/check-bundle.ts';
import { parseGraph } from '../../exchange/labels/graph-csv.ts';
import { openDataset } from '../dataset/dataset.ts';
import { simulatePlanted } from './planted.ts';
import { writePlanted } from './planted-dataset.ts';

const planted = { owners: 12, samples: 60, width: 4, seed: 5 };

test('windows are the planted embeddings, and the truth lies beside them', async () => {
  const out = join(temporaryDirectory(), 'out');
  const report = await writePlanted({ ...planted, out, overwrite: false });
  const { embeddings, labels, truth } = simulatePlanted(planted);
  const dataset = await openDataset(out);
  expect(report).toMatchObject({ owners: 12, samples: 60, dropped: 0 });
  expect(report.classes).toHaveLength(2 + 4);
  expect(report.classes[1]).toBe(labels.filter((label) => label === 1).length);
  expect(dataset.labels).toEqual(labels);
  expect(dataset.simulated).toBe(true);
  expect(dataset.graph).toBeUndefined();
  const { windows, samples, length, variates } = await dataset.owner('owner-03');
  expect({ length, variates }).toEqual({ length: 1, variates: ['e0', 'e1', 'e2', 'e3'] });
  expect(samples[7]).toBe('s000007');
  expect(windows.subarray(28, 32)).toEqual(embeddings.subarray((7 * 12 + 3) * 4, (7 * 12 + 4) * 4));
  const read = (name: string) => readFileSync(join(out, 'truth', name), 'utf8');
  expect(Array.from(parseGraph(read('adjacency.csv'), 12, 'truth'))).toEqual(Array.from(truth.adjacency));
  expect(JSON.parse(read('permutations.json'))).toEqual(truth.permutations.map((order) => [...order]));
});

test('bundles are there to be fused: the same embeddings under the same ids, the same bytes for the same seed', async () => {
  const out = join(temporaryDirectory(), 'out');
  const { bundles } = await writePlanted({ ...planted, out, overwrite: false });
  expect(bundles).toBe(join(out, 'bundles'));
  const { owners, owner } = await openDataset(out);
  expect(readdirSync(bundles)).toEqual(owners.map((id) => `${id}.arrow`));
  for (const id of owners) {
    const bytes = readFileSync(join(bundles, `${id}.arrow`));
    const bundle = decodeBundle(bytes, id);
    const { samples, windows } = await owner(id);
    expect(bundle).toEqual({ owner: id, samples, sampleType: 'text', width: 4, embeddings: windows });
    expect(checkBundle(bundle)).toEqual([]);
  }
  const again = join(temporaryDirectory(), 'again');
  await writePlanted({ ...planted, out: again, overwrite: false });
  const first = (dir: string) => readFileSync(join(dir, 'bundles', `${owners[0]}.arrow`));
  expect(first(again)).toEqual(first(out));
});
