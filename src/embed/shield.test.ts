import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { suiteDirectory } from '../../test/support/temporary-directory.ts';
import { toyDataset } from '../../test/support/toy-dataset.ts';
import { Engine } from '../core/engine/engine.ts';
import { decodeSafetensors } from '../core/safetensors.ts';
import { embedOwner } from './embed-owner.ts';
import { LiveEmbedder } from './live-embedder.ts';
import type { OwnerTrainingOptions } from './owner-model.ts';
import { recommendedOwnerPreset } from './owner-preset.ts';
import { SHIELD_KINDS } from './shield.ts';
import { readLabelledOwner, trainOwner } from './train-owner.ts';

const engine = new Engine({ threads: 1 });
afterAll(() => engine.dispose());

const quick: OwnerTrainingOptions = {
  ...recommendedOwnerPreset,
  width: 6,
  learningRate: 0.02,
  batch: 16,
  epochs: 25,
  seed: 5,
};
const folder = join(await toyDataset(suiteDirectory()), 'owners', 'south');
const train = (change: Partial<OwnerTrainingOptions>) =>
  trainOwner(engine, folder, { ...quick, ...change }, { force: true });

describe('a bottleneck', () => {
  it('is all that leaves: so many numbers, none beyond 1, the same from a bundle and live, stated with them', async () => {
    const { card } = await train({ bottleneck: 2 });
    expect(card.scores.validationAccuracy).toBeGreaterThan(0.8);
    const embedded = await embedOwner(engine, folder);
    expect(embedded.width).toBe(2);
    expect(embedded.embeddings).toHaveLength(2 * embedded.samples.length);
    expect(Math.max(...embedded.embeddings.map(Math.abs))).toBeLessThanOrEqual(1);
    expect(JSON.parse(embedded.privacy ?? '')).toEqual({ bottleneck: 2 });
    const live = await LiveEmbedder.load(engine, folder);
    const { windows, samples, length, variates } = await readLabelledOwner(folder);
    const first = live.embed(windows.slice(0, length * variates.length), samples[0]);
    expect(Array.from(first)).toEqual(Array.from(embedded.embeddings.subarray(0, 2)));
    live.dispose();
  });

  it('is absent by default, and then nothing is stated', async () => {
    await train({ epochs: 1 });
    expect(await embedOwner(engine, folder)).not.toHaveProperty('privacy');
    expect(Object.keys(weights())).not.toContain('bottleneck.weight');
  });

  it.each([0, 7, 1.5, Number.NaN])('must not be %d in front of 6 numbers', async (bottleneck) => {
    const rule = `bottleneck: must be a whole number from 1 to 6, the width of the layer before it, got ${bottleneck}`;
    await expect(train({ bottleneck })).rejects.toThrow(rule);
  });
});

describe.each(SHIELD_KINDS)('a shield of the kind %s', (kind) => {
  it('leaves less to be told the more it weighs, stands in card and bundle, and keeps nothing of its own', async () => {
    const left: number[] = [];
    for (const weight of [1e-6, 10]) {
      const { card } = await train({ bottleneck: 3, shield: { kind, weight } });
      expect(card.options.shield).toEqual({ kind, weight });
      left.push(card.scores.left ?? Number.NaN);
    }
    expect(left[0]).toBeGreaterThan(0.1);
    expect(left[1]).toBeLessThan(left[0] / 2);
    expect(JSON.parse((await embedOwner(engine, folder)).privacy ?? '')).toEqual({
      bottleneck: 3,
      shield: { kind, weight: 10 },
    });
    const kept = Object.keys(weights());
    await train({ bottleneck: 3, epochs: 1 });
    expect(kept).toEqual(Object.keys(weights()));
  });
});

describe('a shield is refused', () => {
  const shield = { kind: 'noise', weight: 1 } as const;
  it.each<[string, Partial<OwnerTrainingOptions>]>([
    ['inputs must be z-scored, got normalisation none', { shield, normalisation: 'none' }],
    ['must be above 0, got 0', { shield: { ...shield, weight: 0 } }],
    ['must be above 0, got Infinity', { shield: { ...shield, weight: Number.POSITIVE_INFINITY } }],
    ['must be distance-correlation or noise, got wall', { shield: { ...shield, kind: 'wall' as never } }],
    ['must go with the label alone', { shield, objective: 'label+reconstruction' }],
  ])('%s', async (message, change) => {
    await expect(train(change)).rejects.toThrow(message);
  });
});

const weights = () => decodeSafetensors(readFileSync(join(folder, 'model.safetensors'))).tensors;
