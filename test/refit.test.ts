// The experiment that measures a refit: its five situations on a toy data set.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { measureRefit, type RefitResult } from '../experiments/refit.ts';
import { Engine } from '../src/core/engine/engine.ts';
import { embedOwner } from '../src/embed/embed-owner.ts';
import { paperOwnerPreset } from '../src/embed/owner-preset.ts';
import { trainOwner } from '../src/embed/train-owner.ts';
import { writeBundle } from '../src/exchange/bundle/bundle-file.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { TOY_OWNERS, toyDataset } from './support/toy-dataset.ts';

it('compares a refit with a full one, and leaves the data set as it is', async () => {
  const parent = temporaryDirectory();
  const toy = await toyDataset(parent);
  const bundles = join(parent, 'bundles');
  mkdirSync(bundles);
  const engine = new Engine({ threads: 1 });
  for (const id of TOY_OWNERS) {
    await trainOwner(engine, join(toy, 'owners', id), { ...paperOwnerPreset, epochs: 3 });
    const embedded = await embedOwner(engine, join(toy, 'owners', id));
    writeBundle(join(bundles, `${id}.arrow`), { ...embedded, sampleType: 'text' });
  }
  const kept = await embedOwner(engine, join(toy, 'owners', 'south'));
  const options = { owners: ['south', 'north'], ownerSeed: 1, config: { epochs: 5 }, threads: 1 };
  const results: RefitResult[] = [];
  for await (const result of measureRefit(toy, bundles, options)) results.push(result);
  expect(results.map(({ owner }) => owner)).toEqual(['south', 'north']);
  for (const { before, absent, unfitted, refit, full } of results) {
    const losses = [before, absent, unfitted, refit, full].map(({ loss }) => loss);
    expect(new Set(losses).size).toBe(5);
    expect(refit).toMatchObject({ epochs: 5, seconds: expect.any(Number), processorSeconds: expect.any(Number) });
    expect(full.epochs).toBe(5);
  }
  expect(results[0].before).toEqual(results[1].before);
  expect((await embedOwner(engine, join(toy, 'owners', 'south'))).model).toBe(kept.model);
  await engine.dispose();
  const unknown = measureRefit(toy, bundles, { ...options, owners: ['west'] }).next();
  await expect(unknown).rejects.toMatchObject({ code: 'F3_DATA_OWNER' });
});
