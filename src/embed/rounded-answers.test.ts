import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { suiteDirectory } from '../../test/support/temporary-directory.ts';
import { toyDataset } from '../../test/support/toy-dataset.ts';
import { Engine } from '../core/engine/engine.ts';
import { readOwnerFolder } from '../data/dataset/owner-folder.ts';
import { auditOwner } from '../privacy/audit/audit-owner.ts';
import { embedOwner } from './embed-owner.ts';
import { LiveEmbedder } from './live-embedder.ts';
import { recommendedOwnerPreset } from './owner-preset.ts';
import { answerLevels, learnAnswers } from './rounded-answers.ts';
import { trainOwner } from './train-owner.ts';

const engine = new Engine({ threads: 1 });
afterAll(() => engine.dispose());

const parent = suiteDirectory();
let dir: string;
beforeAll(async () => {
  dir = await toyDataset(parent, 40);
});

describe('answers in the place of embeddings', () => {
  it('take every level about equally often, evenly from −1 to 1', () => {
    const values = Float32Array.from({ length: 100 }, (_, i) => (i * 37) % 100);
    const levels = answerLevels(values, 1, 5);
    expect([...new Set(levels)].sort((a, b) => a - b)).toEqual([-1, -0.5, 0, 0.5, 1]);
    for (const level of new Set(levels)) expect(levels.filter((value) => value === level)).toHaveLength(20);
    expect(levels[values.indexOf(99)]).toBe(1);
  });

  it('stay finite where a model says the same of every window', () => {
    const { odds, cuts } = learnAnswers(
      Float32Array.from({ length: 60 }, (_, i) => i % 3),
      3,
      4,
    );
    expect(cuts).toEqual([
      [1, 1, 1],
      [2, 2, 2],
    ]);
    expect(odds.flat().every(Number.isFinite)).toBe(true);
  });

  it('are what leaves an owner, live too; votes follow from them, and an audit knows no gradient', async () => {
    const folder = join(dir, 'owners', 'south');
    const options = { ...recommendedOwnerPreset, width: 5, epochs: 2, answers: 4 };
    await trainOwner(engine, folder, options);
    const { embeddings, probabilities, width, classes, privacy, samples } = await embedOwner(engine, folder);
    expect(width).toBe(classes - 1);
    expect(privacy).toBe('{"answers":4}');
    for (const value of embeddings) expect([-1, Math.fround(-1 / 3), Math.fround(1 / 3), 1]).toContain(value);
    const said = (row: number) => embeddings.subarray(row * width, (row + 1) * width).join();
    const voted = (row: number) => probabilities.subarray(row * classes, (row + 1) * classes).join();
    const votes = new Map(samples.map((_, row) => [said(row), voted(row)]));
    for (const row of samples.keys()) expect(votes.get(said(row))).toBe(voted(row));
    const { windows } = await readOwnerFolder(folder);
    const live = await LiveEmbedder.load(engine, folder);
    const size = windows.length / samples.length;
    expect(live.embed(windows.subarray(0, size), samples[0])).toEqual(embeddings.slice(0, width));
    live.dispose();
    expect(await auditOwner(engine, folder)).not.toHaveProperty('bound');
  });

  it('name another model where they are rounded otherwise, although the weights are the same', async () => {
    const folder = join(dir, 'owners', 'south');
    const models = new Set<string>();
    for (const change of [{}, { answers: 4 }, { answers: 2 }, { answers: 4, maxRecovery: 0.05 }]) {
      await trainOwner(engine, folder, { ...recommendedOwnerPreset, width: 5, epochs: 2, ...change });
      models.add((await embedOwner(engine, folder)).model);
    }
    expect(models.size).toBe(4);
  });

  it('are merged where a limit asks for it, and the bundle states the levels that are left', async () => {
    const folder = join(dir, 'owners', 'south');
    const few = { ...recommendedOwnerPreset, width: 5, epochs: 2, answers: 32, maxRecovery: 1 };
    // 40 samples are too few to say what each of 32 levels would give away.
    expect((await trainOwner(engine, folder, few)).card.answers?.levels).toBeLessThanOrEqual(4);
    const options = { ...recommendedOwnerPreset, width: 5, epochs: 2, answers: 8, maxRecovery: 1e-9 };
    const { card } = await trainOwner(engine, folder, options);
    expect(card.answers).toMatchObject({ levels: 1, cuts: card.answers?.cuts.map(() => []) });
    const { embeddings, privacy, probabilities } = await embedOwner(engine, folder);
    expect(new Set(embeddings)).toEqual(new Set([0]));
    expect(privacy).toBe('{"answers":1}');
    expect(probabilities.every(Number.isFinite)).toBe(true);
  });

  it.each([
    [{ maxRecovery: 0.5 }, 'must go with levels of answers'],
    [{ answers: 8, maxRecovery: 0 }, 'must be above 0 and at most 1, got 0'],
    [{ answers: 1 }, 'levels of answers: must be a whole number from 2 to 256, got 1'],
    [{ answers: 8, bottleneck: 2 }, 'got a bottleneck of 2'],
    [{ answers: 8, shield: { kind: 'noise' as const, weight: 1 } }, 'got a shield'],
  ])('refuse %j', async (change, message) => {
    const options = { ...recommendedOwnerPreset, ...change };
    await expect(trainOwner(engine, join(dir, 'owners', 'east'), options)).rejects.toThrow(message);
  });
});
