import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { type ToyBundlesOptions, toyBundle, toyId, toyLabels } from '../../test/support/toy-bundles.ts';
import { Engine } from '../core/engine/engine.ts';
import { fuseOwners } from './fuse-owners.ts';
import { type FusionConfig, paperPreset, paperRows } from './fusion-config.ts';
import { BundleJoin } from './join/bundle-join.ts';
import type { FusionInput } from './join/fusion-input.ts';
import { placeSplit } from './join/place-split.ts';
import { type FusedModel, type LearnedModel, predictProbabilities } from './model/fused-model.ts';
import { loadFusedModel, saveFusedModel } from './model/model-folder.ts';
import { CheckpointFolder, fingerprint } from './training/checkpoint-folder.ts';
import { refitOwner } from './training/refit-owner.ts';
import { copyWeights } from './training/training-state.ts';

const engine = new Engine({ threads: 2 });
afterAll(() => engine.dispose());

const OWNERS = 6;
const SAMPLES = 300;
const quick: FusionConfig = { ...paperPreset, epochs: 12, neighbours: 2, hidden: 4 };

function toyInput(options: ToyBundlesOptions = {}, owners?: { owner: string }[]): FusionInput {
  const classes = options.classes ?? ['calm', 'storm'];
  const samples = Array.from({ length: SAMPLES }, (_, s) => toyId(s));
  const known = owners ? { owners } : { expected: OWNERS };
  const bundles = new BundleJoin(engine, { samples, votes: true, ...known });
  for (let owner = 0; owner < OWNERS; owner++) {
    bundles.add(toyBundle(owner, { samples: SAMPLES, ...options }), `hash-${owner}`);
  }
  const labels = { samples, labels: toyLabels(SAMPLES, classes.length, 1), classes };
  const joined = bundles.finish();
  const ids = { train: samples.slice(0, 180), validation: samples.slice(180, 240), test: samples.slice(240) };
  return { joined, labels, split: placeSplit(ids, joined, labels).rows };
}

/** The same model, when it was learned from embeddings. */
function learned(model: FusedModel): LearnedModel {
  if (model.kind === 'learned') return model;
  throw new Error('the model counts votes');
}

describe('fusion', () => {
  const input = toyInput();

  it.each(Object.entries(paperRows))('of row %s scores better than chance', async (_, change) => {
    const { facts } = await fuseOwners(engine, input, { ...quick, ...change });
    expect(facts.test.auc).toBeGreaterThan(0.6);
    expect(facts.samples).toEqual({ train: 180, validation: 60, test: 60 });
  });

  it('aligns owners of different widths', async () => {
    const mixed = toyInput({ width: (owner) => 3 + (owner % 3) });
    const { facts, network } = learned(await fuseOwners(engine, mixed, { ...quick, epochs: 30 }));
    expect(facts.test.auc).toBeGreaterThan(0.85);
    expect(network.parameters.P.shape).toEqual([OWNERS, 5, 5]);
    const refused = fuseOwners(engine, mixed, { ...quick, alignment: 'none' });
    await expect(refused).rejects.toThrow(
      'owners: widths must be equal unless alignment is soft, got 3 from owner-0, 4 from owner-1',
    );
  });

  it('learns three classes with samples missing here and there', async () => {
    const classes = ['calm', 'storm', 'flood'];
    const partial = toyInput({ classes, saw: (owner, sample) => (owner + sample) % 4 !== 0 });
    expect(partial.joined.isComplete).toBe(false);
    const { facts } = await fuseOwners(engine, partial, { ...quick, epochs: 40 });
    expect(facts.test.auc).toBeGreaterThan(0.8);
  });

  it('tries learning rates and keeps the one with the lowest validation loss', async () => {
    const { facts } = await fuseOwners(engine, input, quick, { learningRates: [0.01, 0.0001] });
    expect(facts.learningRates?.map(({ rate }) => rate)).toEqual([0.01, 0.0001]);
    expect(facts.config.learningRate).toBe(0.01);
  });

  it('refuses a graph or a κ that does not fit the owners', async () => {
    await expect(
      fuseOwners(engine, { ...input, adjacency: [1, 0, 0, 1] }, { ...quick, graph: 'given' }),
    ).rejects.toThrow('graph: must be 6 × 6 numbers (owners), got 4');
    for (const weight of [1e308, -1, Number.NaN]) {
      const adjacency = Array.from({ length: OWNERS ** 2 }, (_, at) => (at === 8 ? weight : 1));
      await expect(fuseOwners(engine, { ...input, adjacency }, { ...quick, graph: 'given' })).rejects.toThrow(
        `graph: weights must be finite in float32 and at least 0, got ${weight} in row 2, column 3`,
      );
    }
    await expect(fuseOwners(engine, input, { ...quick, graph: 'knn', neighbours: 6 })).rejects.toThrow(
      'neighbours: must be below the number of owners 6, got 6',
    );
  });

  it('interrupted and resumed, with two learning rates, gives the same bits', async () => {
    const dir = join(temporaryDirectory(), 'checkpoint');
    const about = fingerprint(input, quick);
    const whole = await fuseOwners(engine, input, quick, { learningRates: [0.01, 0.001] });
    for (const stopAt of [5, 14]) {
      const stop = new AbortController();
      let seen = 0;
      const options = {
        ...{ learningRates: [0.01, 0.001], signal: stop.signal },
        checkpoints: new CheckpointFolder(dir, { about, resume: false }),
        onEpoch: () => void (++seen === stopAt && stop.abort()),
      };
      await fuseOwners(engine, input, quick, options);
      const checkpoints = new CheckpointFolder(dir, { about, resume: true });
      const resumed = await fuseOwners(engine, input, quick, { learningRates: [0.01, 0.001], checkpoints });
      expect(copyWeights(learned(resumed).network)).toEqual(copyWeights(learned(whole).network));
      expect(resumed.facts.history).toEqual(whole.facts.history);
      checkpoints.clear();
      expect(existsSync(dir)).toBe(false);
    }
  });
});

describe('a fused model on disk', () => {
  const input = toyInput({ saw: (owner, sample) => owner !== 2 || sample % 2 === 0 });
  const rows = input.split.test;

  it.each(['B', 'D', 'F', 'G', 'K'] as const)('predicts the same bits when loaded again, row %s', async (row) => {
    const dir = join(temporaryDirectory(), 'model');
    const fused = await fuseOwners(engine, input, { ...quick, ...paperRows[row] });
    const card = saveFusedModel(dir, fused);
    expect(card.owners).toHaveLength(OWNERS);
    const loaded = await loadFusedModel(engine, dir);
    for (const graphs of [undefined, 'mean', 3] as const) {
      const again = predictProbabilities(engine, loaded, input.joined, rows, graphs);
      expect(again).toEqual(predictProbabilities(engine, fused, input.joined, rows, graphs));
    }
  });

  it('carries a given graph', async () => {
    const dir = join(temporaryDirectory(), 'model');
    const weights = [1, 0, 1e-50, 2, 0]; // of which one is 0 in float32
    const adjacency = Float64Array.from({ length: OWNERS ** 2 }, (_, at) => weights[at % 5]);
    const fused = await fuseOwners(engine, { ...input, adjacency }, { ...quick, graph: 'given' });
    saveFusedModel(dir, fused);
    const loaded = await loadFusedModel(engine, dir);
    const answer = (model: typeof fused) => predictProbabilities(engine, model, input.joined, rows);
    expect(answer(loaded)).toEqual(answer(fused));
  });

  it('is refused when it is broken, and never replaced unasked', async () => {
    const dir = join(temporaryDirectory(), 'model');
    const fused = await fuseOwners(engine, input, { ...quick, epochs: 1 });
    saveFusedModel(dir, fused);
    expect(() => saveFusedModel(dir, fused)).toThrow('must not exist yet');
    saveFusedModel(dir, fused, { overwrite: true });
    const weights = join(dir, 'model.safetensors');
    const bytes = readFileSync(weights);
    writeFileSync(weights, bytes.subarray(0, bytes.length - 4));
    await expect(loadFusedModel(engine, dir)).rejects.toThrow(/model.safetensors: SHA-256 must be the card's/);
    writeFileSync(join(dir, 'model.json'), '{"format": "other"}');
    await expect(loadFusedModel(engine, dir)).rejects.toThrow(/must be f3-fused-model 1, got other undefined/);
    await expect(loadFusedModel(engine, join(dir, 'none'))).rejects.toThrow(/must be readable, got no such file/);
  });
});

describe('refitting one owner', () => {
  it('changes its alignment alone, and comes close to the full fit', async () => {
    const config = { ...quick, epochs: 40 };
    const fused = await fuseOwners(engine, toyInput(), config);
    // The owner retrained: other noise, other width.
    const retrained = { ...toyBundle(3, { samples: SAMPLES, width: () => 6 }), owner: 'owner-3' };
    const samples = Array.from({ length: SAMPLES }, (_, s) => toyId(s));
    const owners = fused.facts.owners.map(({ owner }) => ({ owner }));
    const bundles = new BundleJoin(engine, { samples, owners });
    for (let owner = 0; owner < OWNERS; owner++) {
      bundles.add(
        owner === 3 ? retrained : toyBundle(owner, { samples: SAMPLES }),
        owner === 3 ? 'retrained' : `hash-${owner}`,
      );
    }
    const input = { ...toyInput(), joined: bundles.finish() };
    const refitted = await refitOwner(engine, fused, 'owner-3', input);
    const [before, after] = [learned(fused).network.parameters, refitted.network.parameters];
    for (const name of ['W0', 'b0', 'W1', 'b1', 'theta']) expect(after[name].data).toEqual(before[name].data);
    const row = (tensor: typeof after.P, owner: number, width: number) =>
      Array.from(tensor.data.subarray(owner * 4 * width, owner * 4 * width + 4));
    expect(row(after.P, 0, 6)).toEqual(row(before.P, 0, 4));
    expect(row(after.P, 3, 6)).not.toEqual(row(before.P, 3, 4));
    expect(refitted.facts.refitted).toBe('owner-3');
    expect(refitted.facts.test.auc).toBeGreaterThan(fused.facts.test.auc - 0.05);
  });

  it('needs an alignment', async () => {
    const input = toyInput();
    const fused = await fuseOwners(engine, input, { ...quick, epochs: 1, alignment: 'none' });
    await expect(refitOwner(engine, fused, 'owner-3', input)).rejects.toThrow(
      'refit owner-3: the model must have an alignment of that owner, got method consensus, alignment none',
    );
    await expect(refitOwner(engine, fused, 'nobody', input)).rejects.toThrow('got no owner nobody');
  });
});
