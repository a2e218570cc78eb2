import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { toyBundle, toyId, toyLabels } from '../../../test/support/toy-bundles.ts';
import { Engine } from '../../core/engine/engine.ts';
import { BundleJoin } from '../join/bundle-join.ts';
import type { FusionInput } from '../join/fusion-input.ts';
import { placeSplit } from '../join/place-split.ts';
import { encodeFusedModel } from '../model/fused-card.ts';
import type { FusedModel } from '../model/fused-model.ts';
import { SearchFolder } from './search-folder.ts';
import { type SearchOptions, searchFusion } from './search-fusion.ts';
import { inputIdentity } from './search-input.ts';
import type { SearchProgress, SearchReport } from './search-report.ts';

const engine = new Engine({ threads: 1 });
afterAll(() => engine.dispose());

interface ToyOptions {
  owners?: number;
  samples?: number;
  hash?: string;
  seed?: number;
  relabel?: (labels: Int32Array) => void;
}

function toyInput({ owners = 4, samples = 160, hash = 'hash', seed = 1, relabel }: ToyOptions = {}): FusionInput {
  const ids = Array.from({ length: samples }, (_, s) => toyId(s));
  const join = new BundleJoin(engine, { samples: ids, expected: owners });
  for (let owner = 0; owner < owners; owner++) join.add(toyBundle(owner, { samples, seed }), `${hash}-${owner}`);
  const labels = { samples: ids, labels: toyLabels(samples, 2, seed), classes: ['calm', 'storm'] };
  relabel?.(labels.labels);
  const joined = join.finish();
  const [a, b] = [Math.floor(samples * 0.6), Math.floor(samples * 0.8)];
  const parts = { train: ids.slice(0, a), validation: ids.slice(a, b), test: ids.slice(b) };
  return { joined, labels, split: placeSplit(parts, joined, labels).rows };
}

const quick: SearchOptions = { budget: { fits: 9 }, fixed: { epochs: 3, hidden: 4 }, threads: 2 };
const weightsOf = (model: FusedModel): string => encodeFusedModel(model).card.weights;
const searchOf = ({ facts }: FusedModel): SearchReport => facts.search as SearchReport;
/** What was tried but for how long it took. */
const table = (model: FusedModel) => searchOf(model).tried.map(({ seconds: _, ...rest }) => rest);

describe('a search', () => {
  const input = toyInput();

  it('tries no more than its budget, chooses the lowest criterion and scores only that on the test part', async () => {
    const seen: SearchProgress[] = [];
    const model = await searchFusion(engine, input, { ...quick, onProgress: (progress) => seen.push(progress) });
    const { tried, fits, outOfTime } = searchOf(model);
    expect([fits, outOfTime]).toEqual([9, false]);
    expect(tried.filter(({ members }) => !members)).toHaveLength(9);
    const [chosen, ...others] = tried.filter((one) => one.chosen);
    expect(others).toEqual([]);
    expect(chosen.criterion).toBe(Math.min(...tried.map(({ criterion }) => criterion ?? Number.POSITIVE_INFINITY)));
    expect(chosen.situations.map(({ absent }) => absent)).toEqual([0, 0.3, 0.7]);
    expect(new Set(tried.map(({ config }) => config.method ?? 'consensus'))).toEqual(
      new Set(['consensus', 'boosting']),
    );
    expect(model.facts.test.auc).toBeGreaterThan(0.6);
    expect(model.facts.samples).toEqual({ train: 96, validation: 32, test: 32 });
    for (const member of model.facts.ensemble?.members ?? []) expect(member.test.loss).toBeNaN();
    expect(seen.at(-1)).toMatchObject({ stage: 'search', done: 9, total: 9 });
    expect(seen.some(({ epoch }) => epoch !== undefined)).toBe(true);
  });

  it('comes to the same bits on one thread and on three', async () => {
    const [one, three] = [
      await searchFusion(engine, input, { ...quick, threads: 1 }),
      await searchFusion(engine, input, { ...quick, threads: 3 }),
    ];
    expect(table(three)).toEqual(table(one));
    expect(weightsOf(three)).toBe(weightsOf(one));
  });

  it('knows nothing of the labels of the test part', async () => {
    const before = await searchFusion(engine, input, quick);
    const relabel = (labels: Int32Array) => {
      const turned = labels.subarray(128).map((label) => 1 - label);
      labels.set(turned, 128);
    };
    const other = toyInput({ relabel });
    const after = await searchFusion(engine, other, quick);
    expect(table(after)).toEqual(table(before));
    expect(weightsOf(after)).toBe(weightsOf(before));
    expect(after.facts.ensemble?.mixture).toEqual(before.facts.ensemble?.mixture);
    expect(after.facts.test.auc).toBeCloseTo(1 - before.facts.test.auc, 6);
  });

  it('that was stopped goes on where it was, repeats no fit and comes to the same bits', async () => {
    const whole = await searchFusion(engine, input, quick);
    const dir = join(temporaryDirectory(), 'search');
    const stop = new AbortController();
    const first = await SearchFolder.open(dir, inputIdentity(input));
    const reason = new Error('enough');
    const stopped = searchFusion(engine, input, {
      ...quick,
      store: first,
      signal: stop.signal,
      onProgress: ({ done }) => done === 4 && stop.abort(reason),
    });
    await expect(stopped).rejects.toBe(reason);
    first.close();
    const kept = readdirSync(dir).filter((name) => name.endsWith('.f3fit'));
    expect(kept.length).toBeGreaterThanOrEqual(4);
    const second = await SearchFolder.open(dir, inputIdentity(input));
    const made: string[] = [];
    const store = {
      load: (name: string) => second.load(name),
      save: (name: string, bytes: Uint8Array<ArrayBuffer>) => {
        made.push(name);
        second.save(name, bytes);
      },
    };
    const model = await searchFusion(engine, input, { ...quick, store });
    expect(made).toHaveLength(9 - kept.length);
    expect(table(model)).toEqual(table(whole));
    expect(weightsOf(model)).toBe(weightsOf(whole));
    second.remove();
    expect(existsSync(dir)).toBe(false);
  });

  it('gives up fits that fall behind and says so, and makes anew what another search gave up', async () => {
    const options: SearchOptions = {
      ...quick,
      budget: { fits: 12 },
      fixed: { epochs: 30, hidden: 4, method: 'consensus', averageWeights: 0, batch: 16, graph: 'none' },
    };
    const kept = new Map<string, Uint8Array>();
    const made: string[] = [];
    const store = {
      load: (name: string) => kept.get(name),
      save: (name: string, bytes: Uint8Array<ArrayBuffer>) => {
        made.push(name);
        kept.set(name, bytes.slice());
      },
    };
    const first = await searchFusion(engine, input, { ...options, store });
    const { tried } = searchOf(first);
    const givenUp = tried.filter((one) => one.givenUp);
    expect(givenUp.length).toBeGreaterThan(0);
    for (const { epochs } of givenUp) expect(epochs).toBeLessThan(30);
    expect(tried.slice(0, 2).some((one) => one.givenUp)).toBe(false);
    expect(made).toHaveLength(12);
    expect(table(await searchFusion(engine, input, { ...options, store }))).toEqual(table(first));
    expect(made).toHaveLength(12);
    // The best of another criterion is another bar: what is kept is of use only where it would end the same.
    const alone = { ...options, absenceWeight: 0 };
    const [withKept, fresh] = [
      await searchFusion(engine, input, { ...alone, store }),
      await searchFusion(engine, input, alone),
    ];
    expect(table(withKept)).toEqual(table(fresh));
    expect(weightsOf(withKept)).toBe(weightsOf(fresh));
  });

  it('with time that is over at once has made one fit at least', async () => {
    const model = await searchFusion(engine, input, { ...quick, budget: { minutes: 1e-6 } });
    const { fits, outOfTime } = searchOf(model);
    expect(outOfTime).toBe(true);
    expect(fits).toBeGreaterThanOrEqual(1);
    expect(fits).toBeLessThan(6);
  });

  it('keeps to what the caller fixed', async () => {
    const fixed = { method: 'consensus', graph: 'none', epochs: 2, seed: 7 } as const;
    const model = await searchFusion(engine, input, { ...quick, budget: { fits: 6 }, fixed });
    const configs = searchOf(model).tried.filter(({ members }) => !members);
    expect(configs).toHaveLength(6);
    for (const { config } of configs) expect(config).toMatchObject({ graph: 'none', epochs: 2, seed: 7 });
    expect(model.facts.config.epochs).toBe(2);
  });

  it.each([
    [{ fits: 0 }, /fits must be a whole number from 1 to 1000, got 0/],
    [{ fits: -3 }, /got -3/],
    [{ fits: Number.NaN }, /got NaN/],
    [{ fits: 1.5 }, /got 1.5/],
    [{ minutes: 0 }, /minutes must be a number above 0 .* got 0/],
    [{ minutes: Number.NaN }, /got NaN/],
  ])('refuses a budget of %o', async (budget, message) => {
    const refused = searchFusion(engine, input, { ...quick, budget });
    await expect(refused).rejects.toThrow(
      expect.objectContaining({ code: 'F3_ARGUMENT', message: expect.stringMatching(message) }),
    );
  });

  it('takes a budget of one fit', async () => {
    const model = await searchFusion(engine, input, { ...quick, budget: { fits: 1 } });
    expect(searchOf(model).tried).toMatchObject([{ chosen: true, name: 'what we advise, with codes' }]);
  });

  it('refuses a split without a validation part, and fields that no config uses', async () => {
    const blind = { ...input, split: { ...input.split, validation: new Uint32Array() } };
    await expect(searchFusion(engine, blind, quick)).rejects.toThrow(
      'search: the split must have a training and a validation part, got 96 training and 0 validation samples',
    );
    await expect(searchFusion(engine, input, { ...quick, fixed: { neighbours: 2 } })).rejects.toThrow(
      'neighbours: is for graph knn only, which the search does not try',
    );
    await expect(searchFusion(engine, input, { ...quick, fixed: { method: 'majority' } })).rejects.toThrow(
      'method: must learn from embeddings to be searched, got majority',
    );
    await expect(searchFusion(engine, input, { ...quick, absenceWeight: 2 })).rejects.toThrow('from 0 to 1, got 2');
  });

  it('says what makes its choice doubtful, and copes with three owners, twelve samples and a class that validation lacks', async () => {
    const warnings: string[] = [];
    const relabel = (labels: Int32Array) => labels.set([0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1, 0]);
    const small = toyInput({ owners: 3, samples: 12, relabel });
    const model = await searchFusion(engine, small, { ...quick, onWarning: (warning) => warnings.push(warning) });
    expect(warnings).toEqual([
      'search: the validation part has 2 samples, too few to tell fits apart that are nearly as good',
      'search: the validation part has no sample of storm, so the choice knows nothing of it',
    ]);
    expect(searchOf(model).fits).toBe(9);
    expect(searchOf(model).tried.some(({ chosen }) => chosen)).toBe(true);
  });
});

describe('the folder of a search', () => {
  const input = toyInput();
  const open = (dir: string, about = inputIdentity(input)) => SearchFolder.open(dir, about);
  const folderError = (message: RegExp) =>
    expect.objectContaining({ code: 'F3_SEARCH_FOLDER', message: expect.stringMatching(message) });

  it('is of use to one search at a time', async () => {
    const dir = temporaryDirectory();
    const first = await open(dir);
    await expect(open(dir)).rejects.toThrow(folderError(/must be used by one process at a time, got process \d+/));
    first.close();
    (await open(dir)).close();
  });

  it('is of use for the same bundles, training labels and validation labels only', async () => {
    const dir = temporaryDirectory();
    (await open(dir)).close();
    for (const other of [
      toyInput({ hash: 'another' }),
      toyInput({ relabel: (labels) => (labels[0] = 1 - labels[0]) }),
    ]) {
      await expect(open(dir, inputIdentity(other))).rejects.toThrow(folderError(/got that of another search/));
    }
    const tested = toyInput({ relabel: (labels) => (labels[159] = 1 - labels[159]) });
    (await open(dir, inputIdentity(tested))).close();
  });

  it('is no folder of somebody else, nor a file', async () => {
    const dir = temporaryDirectory();
    writeFileSync(join(dir, 'thesis.tex'), 'years of work');
    await expect(open(dir)).rejects.toThrow(folderError(/must be of a search or empty, got thesis.tex in it/));
    await expect(open(join(dir, 'thesis.tex'))).rejects.toThrow(
      folderError(/must be a folder or not exist, got a file/),
    );
    await expect(open(join(dir, 'thesis.tex', 'search'))).rejects.toThrow(folderError(/must be writable/));
  });

  it('that holds a broken fit says so, and leaves what is not its own', async () => {
    const dir = temporaryDirectory();
    const folder = await open(dir);
    folder.save('a', Uint8Array.of(1, 2, 3));
    mkdirSync(join(dir, 'notes'));
    const [file] = readdirSync(dir).filter((name) => name.endsWith('.f3fit'));
    const store = { load: () => folder.load('a'), save: () => undefined };
    await expect(searchFusion(engine, input, { ...quick, store })).rejects.toThrow(
      'fit 1 of the search: must be a whole record of a fit; remove it to start anew',
    );
    folder.remove();
    expect(existsSync(join(dir, file))).toBe(false);
    expect(readdirSync(dir)).toEqual(['notes']);
  });
});
