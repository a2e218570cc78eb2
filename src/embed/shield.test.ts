import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { levelledDataset } from '../../test/support/levelled-dataset.ts';
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

const levelled = await levelledDataset(suiteDirectory());
const levelledOptions = (change: Partial<OwnerTrainingOptions>): OwnerTrainingOptions => ({
  ...quick,
  learningRate: 0.01,
  epochs: 100,
  patience: 5,
  bottleneck: 2,
  ...change,
});
const trainLevelled = (change: Partial<OwnerTrainingOptions> = {}) =>
  trainOwner(engine, levelled, levelledOptions(change), { force: true });

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
    expect(Object.keys(weights(folder))).not.toContain('bottleneck.weight');
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
      const { card } = await trainLevelled({ shield: { kind, weight } });
      expect(card.options.shield).toEqual({ kind, weight });
      left.push(card.scores.left ?? Number.NaN);
    }
    expect(left[0]).toBeGreaterThan(0.3);
    expect(left[1]).toBeLessThan(left[0] / 2);
    expect(JSON.parse((await embedOwner(engine, levelled)).privacy ?? '')).toEqual({
      bottleneck: 2,
      shield: { kind, weight: 10 },
    });
    const kept = Object.keys(weights(levelled));
    await trainLevelled({ epochs: 1 });
    expect(kept).toEqual(Object.keys(weights(levelled)));
  });
});

describe('training under a shield', () => {
  const shield = { kind: 'distance-correlation', weight: 0.3 } as const;

  it('leaves the plateau where it starts, which the shield would hold it on: it names the class and hides the level', async () => {
    const { card: open } = await trainLevelled();
    const { card } = await trainLevelled({ shield });
    const { labels, rows } = await readLabelledOwner(levelled);
    const swings = rows.validation.filter((row) => labels[row] === 1).length / rows.validation.length;
    expect(card.scores.validationAccuracy).toBeGreaterThan(Math.max(swings, 1 - swings) + 0.1);
    const { card: weak } = await trainLevelled({ shield: { ...shield, weight: 1e-6 } });
    expect(card.scores.left).toBeLessThan(0.9 * (weak.scores.left ?? 0));
    const { validationAccuracy } = open.scores;
    expect(card.beforeShield).toMatchObject({ epochs: open.epochs, validationAccuracy });
    expect(card.scores.left).toBeLessThan(card.beforeShield?.left ?? 0);
    expect(open).not.toHaveProperty('beforeShield');
  });

  it('keeps an epoch that the shield has worked on, and counts epochs and patience anew under it', async () => {
    const { card } = await trainLevelled({ shield, epochs: 3, patience: 2 });
    expect(card).toMatchObject({ epochs: 6, beforeShield: { epochs: 3 } });
    expect(card.bestEpoch).toBeGreaterThan(3);
  });

  it('is done again for a model whose card does not say what it had learned before its shield, which worked from the start then', async () => {
    const options = { ...quick, bottleneck: 3, epochs: 2, shield };
    await trainOwner(engine, levelled, options, { force: true });
    expect((await trainOwner(engine, levelled, options)).trained).toBe(false);
    const file = join(levelled, 'model.json');
    const { beforeShield: _, ...older } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify(older));
    expect((await trainOwner(engine, levelled, options)).trained).toBe(true);
  });

  it('goes on from the model of training alone to the bits that it has from the start, and from no other', async () => {
    const change = { epochs: 12, shield };
    const epochs: number[] = [];
    const goOn = async (before: Partial<OwnerTrainingOptions>) => {
      await trainLevelled({ epochs: 12, ...before });
      epochs.length = 0;
      const { card } = await trainOwner(engine, levelled, levelledOptions(change), {
        onEpoch: (at) => epochs.push(at),
      });
      return { card: { ...card, seconds: 0 }, bytes: readFileSync(join(levelled, 'model.safetensors')) };
    };
    const whole = await goOn({ seed: 6 });
    expect(epochs[0]).toBe(1);
    expect(await goOn({})).toEqual(whole);
    expect(epochs[0]).toBe((whole.card.beforeShield?.epochs ?? 0) + 1);
    expect(await goOn({ bestBy: undefined })).toEqual(whole);
    expect(epochs[0]).toBe(1);
    await trainLevelled({ epochs: 12 });
    writeFileSync(join(levelled, 'model.safetensors'), 'half');
    await trainOwner(engine, levelled, levelledOptions(change));
    expect(readFileSync(join(levelled, 'model.safetensors')).equals(whole.bytes)).toBe(true);
  });

  it('gives the same bits again', async () => {
    await trainLevelled({ shield });
    const first = readFileSync(join(levelled, 'model.safetensors'));
    await trainLevelled({ shield });
    expect(readFileSync(join(levelled, 'model.safetensors')).equals(first)).toBe(true);
  });
});

describe('a shield is refused', () => {
  const shield = { kind: 'noise', weight: 1 } as const;
  it.each<[string, Partial<OwnerTrainingOptions>]>([
    ['inputs must be z-scored, got normalisation none', { shield, normalisation: 'none' }],
    ['must be above 0, got 0', { shield: { ...shield, weight: 0 } }],
    ['must be above 0, got Infinity', { shield: { ...shield, weight: Number.POSITIVE_INFINITY } }],
    ['must be distance-correlation or noise, got wall', { shield: { ...shield, kind: 'wall' as never } }],
    [
      'batches must have two windows or more, since it works on the distances between them, got 1',
      { shield: { kind: 'distance-correlation', weight: 1 }, batch: 1 },
    ],
    ['must go with the label alone', { shield, objective: 'label+reconstruction' }],
  ])('%s', async (message, change) => {
    await expect(train(change)).rejects.toThrow(message);
  });
});

const weights = (of: string) => decodeSafetensors(readFileSync(join(of, 'model.safetensors'))).tensors;
