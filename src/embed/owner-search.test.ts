import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { TOY_OWNERS, toyDataset } from '../../test/support/toy-dataset.ts';
import { Engine } from '../core/engine/engine.ts';
import { embedOwner } from './embed-owner.ts';
import type { OwnerTrainingOptions } from './owner-model.ts';
import { recommendedOwnerPreset } from './owner-preset.ts';
import { chooseCandidate, type OwnerCandidate, ownerCandidates, withCandidate } from './owner-search.ts';
import { searchOwner } from './search-owner.ts';
import { trainAllOwners } from './train-all-owners.ts';
import { trainOwner } from './train-owner.ts';

describe('the space of a search', () => {
  it('begins with what we advise, has no reconstruction unless asked for, and ends with the budget', () => {
    const all = ownerCandidates();
    const { model, width } = recommendedOwnerPreset;
    expect(all[0]).toEqual({ model, width, objective: 'label' });
    expect(all.every(({ objective }) => objective === 'label')).toBe(true);
    expect(ownerCandidates({ budget: 2 })).toEqual(all.slice(0, 2));
    expect(ownerCandidates({ models: ['tcn'], widths: [8], objectives: ['label', 'label+reconstruction'] })).toEqual([
      { model: 'tcn', width: 8, objective: 'label' },
      { model: 'tcn', width: 8, objective: 'label+reconstruction' },
    ]);
  });

  it('must not be empty, nor its budget less than one', () => {
    expect(() => ownerCandidates({ models: [] })).toThrow('search space: must have at least one combination, got none');
    expect(() => ownerCandidates({ budget: 0 })).toThrow('budget: must be a whole number from 1, got 0');
  });
});

describe('the choice', () => {
  it('is the lowest mean loss when it is below the first by more than a standard error', () => {
    const first = Float64Array.of(0.5, 0.6, 0.7, 0.8);
    expect(chooseCandidate([first, first.map((loss) => loss - 0.1), first.map((loss) => loss + 0.1)])).toBe(1);
  });

  it('stays with the first when another is better by chance', () => {
    const first = Float64Array.of(0.5, 0.6, 0.7, 0.8);
    expect(chooseCandidate([first, Float64Array.of(0.1, 0.9, 0.3, 1.2)])).toBe(0);
    expect(chooseCandidate([first, first])).toBe(0);
    expect(chooseCandidate([Float64Array.of(0.5), Float64Array.of(0.1)])).toBe(0);
  });
});

const engine = new Engine({ threads: 1 });
afterAll(() => engine.dispose());
const quick: OwnerTrainingOptions = { ...recommendedOwnerPreset, learningRate: 0.02, batch: 16, epochs: 8, seed: 5 };
const candidates: OwnerCandidate[] = [
  { model: 'dense', width: 2, objective: 'label' },
  { model: 'gru', width: 6, objective: 'label' },
  { model: 'tcn', width: 6, objective: 'label+reconstruction' },
];
const folder = (dir: string, id: string) => join(dir, 'owners', id);
const weights = (dir: string, id: string) => readFileSync(join(folder(dir, id), 'model.safetensors'));

describe('a search', () => {
  it('keeps the bits that the chosen options give alone, and everything that was tried in the card', async () => {
    const [searched, alone] = [await toyDataset(temporaryDirectory()), await toyDataset(temporaryDirectory())];
    const { card } = await searchOwner(engine, folder(searched, 'east'), quick, { candidates });
    expect(card.search?.tried.map(({ model, width, objective }) => ({ model, width, objective }))).toEqual(candidates);
    const { tried, chosen } = card.search ?? { tried: [], chosen: -1 };
    expect(card.options).toMatchObject({ model: candidates[chosen].model, width: candidates[chosen].width });
    const losses = tried.map(({ validationLoss }) => validationLoss);
    expect([0, losses.indexOf(Math.min(...losses))]).toContain(chosen);
    await trainOwner(engine, folder(alone, 'east'), withCandidate(quick, candidates[chosen]));
    expect(weights(searched, 'east').equals(weights(alone, 'east'))).toBe(true);
    expect((await embedOwner(engine, folder(searched, 'east'))).width).toBe(candidates[chosen].width);
  });

  it('is not repeated for the same space, options and data, and is for others', async () => {
    const dir = await toyDataset(temporaryDirectory());
    const search = async (change: object, list = candidates) =>
      (await searchOwner(engine, folder(dir, 'east'), { ...quick, epochs: 1, ...change }, { candidates: list }))
        .trained;
    expect(await search({})).toBe(true);
    expect(await search({})).toBe(false);
    expect(await search({ seed: 6 })).toBe(true);
    expect(await search({ seed: 6 }, candidates.slice(0, 2))).toBe(true);
    const plain = await trainOwner(engine, folder(dir, 'east'), { ...quick, epochs: 1, seed: 6 });
    expect(plain.trained).toBe(true);
    expect(plain.card.search).toBeUndefined();
  });

  it('is each owner’s own when many search at once', async () => {
    const dir = await toyDataset(temporaryDirectory());
    const folders = TOY_OWNERS.map((id) => folder(dir, id));
    const cards = await trainAllOwners(folders, { options: { ...quick, epochs: 2 }, candidates, threads: 2 });
    expect(cards.map(({ owner, search }) => [owner, search?.tried.length])).toEqual(TOY_OWNERS.map((id) => [id, 3]));
  });

  it('refuses options that do not go together before anything is trained', async () => {
    const dir = await toyDataset(temporaryDirectory());
    const search = searchOwner(engine, folder(dir, 'east'), { ...quick, normalisation: 'none' }, { candidates });
    await expect(search).rejects.toThrow('objective label+reconstruction: inputs must be z-scored');
    expect(existsSync(join(folder(dir, 'east'), 'model.json'))).toBe(false);
  });
});
