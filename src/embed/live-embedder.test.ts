import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { suiteDirectory } from '../../test/support/temporary-directory.ts';
import { toyDataset } from '../../test/support/toy-dataset.ts';
import { Engine } from '../core/engine/engine.ts';
import { readOwnerFolder } from '../data/dataset/owner-folder.ts';
import { embedOwner } from './embed-owner.ts';
import { LiveEmbedder } from './live-embedder.ts';
import { LOCAL_MODEL_KINDS } from './local-model.ts';
import { paperOwnerPreset, recommendedOwnerPreset } from './owner-preset.ts';
import { trainOwner } from './train-owner.ts';

const parent = suiteDirectory();
let engine: Engine;
let dir: string;
beforeAll(async () => {
  engine = new Engine({ threads: 1 });
  dir = await toyDataset(parent, 40);
});
afterAll(() => engine.dispose());

test.each(['none', 'z-score'] as const)(
  'a window alone has the bundle’s embedding (inputs: %s)',
  async (normalisation) => {
    const folder = join(dir, 'owners', normalisation === 'none' ? 'north' : 'south');
    await trainOwner(engine, folder, { ...paperOwnerPreset, width: 5, epochs: 2, normalisation });
    const { embeddings, samples } = await embedOwner(engine, folder);
    const { windows } = await readOwnerFolder(folder);
    const embedder = await LiveEmbedder.load(engine, folder);
    for (const [row, sample] of samples.entries()) {
      const alone = embedder.embed(windows.subarray(row * 16, (row + 1) * 16), sample);
      expect(alone).toEqual(embeddings.slice(row * 5, (row + 1) * 5));
    }
    embedder.dispose();
  },
);

test.each(LOCAL_MODEL_KINDS)('a window alone has the bundle’s embedding (%s)', async (model) => {
  const folder = join(dir, 'owners', 'south');
  await trainOwner(engine, folder, { ...recommendedOwnerPreset, model, width: 5, epochs: 2 });
  const { embeddings, samples } = await embedOwner(engine, folder);
  const { windows } = await readOwnerFolder(folder);
  const embedder = await LiveEmbedder.load(engine, folder);
  for (const [row, sample] of samples.entries()) {
    const alone = embedder.embed(windows.subarray(row * 16, (row + 1) * 16), sample);
    expect(alone).toEqual(embeddings.slice(row * 5, (row + 1) * 5));
  }
  embedder.dispose();
});

test('windows of another size or with holes are refused by name', async () => {
  const embedder = await LiveEmbedder.load(engine, join(dir, 'owners', 'north'));
  expect(() => embedder.embed(new Float32Array(15), 's7')).toThrow(
    expect.objectContaining({
      code: 'F3_STREAM_WINDOW',
      message: 'sample s7: window must be 8 × 2 numbers, got 15',
    }),
  );
  const hole = new Float32Array(16);
  hole[3] = Number.NaN;
  expect(() => embedder.embed(hole, 's7')).toThrow('sample s7: window must be finite, got NaN (number 4)');
  embedder.dispose();
});

test('an owner that is not trained has nothing to stream with', async () => {
  const loading = LiveEmbedder.load(engine, join(dir, 'owners', 'east'));
  await expect(loading).rejects.toMatchObject({ code: 'F3_MODEL_FORMAT' });
});
