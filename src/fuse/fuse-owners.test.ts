import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { type ToyBundlesOptions, toyBundle, toyId, toyLabels } from '../../test/support/toy-bundles.ts';
import { Engine } from '../core/engine/engine.ts';
import { withoutOwners } from '../infer/absent-owners.ts';
import { predictAll } from '../infer/predictions.ts';
import { mixModels } from './fuse-ensemble.ts';
import { fuseOwners, shapeOf } from './fuse-owners.ts';
import { type FusionConfig, paperPreset, paperRows } from './fusion-config.ts';
import { BundleJoin } from './join/bundle-join.ts';
import type { FusionInput } from './join/fusion-input.ts';
import { placeSplit } from './join/place-split.ts';
import { type FusedModel, type LearnedModel, predictProbabilities } from './model/fused-model.ts';
import { loadFusedModel, saveFusedModel } from './model/model-folder.ts';
import { fitDecisionRule } from './scores/decision-rule.ts';
import { CheckpointFolder, fingerprint } from './training/checkpoint-folder.ts';
import { refitOwner } from './training/refit-owner.ts';
import type { TrainingState } from './training/training-state.ts';
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

/** Everything beyond the paper at once. */
const encoded = {
  encoding: 'quantiles',
  bins: 4,
  ownerBias: true,
  readout: 'layers',
  graph: 'none',
  weightDecay: 0.1,
  averageWeights: 0.8,
  ownerDropout: 0.3,
  hidden: 8,
} as const;

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

  it('names the class that is best for F1 where the config says so, before and after saving, in ensembles and after a refit', async () => {
    const uneven = toyInput({ classes: ['calm', 'storm', 'flood', 'hail'] });
    const model = learned(await fuseOwners(engine, uneven, { ...quick, epochs: 3, decision: 'f1' }));
    const plain = await fuseOwners(engine, uneven, { ...quick, epochs: 3 });
    expect(plain.facts.decision).toBeUndefined();
    expect(model.facts.decision?.gains).toHaveLength(4);
    expect(model.facts.test).toMatchObject({ loss: plain.facts.test.loss, auc: plain.facts.test.auc });
    const named = predictAll(engine, model, uneven.joined).predicted;
    expect(named).not.toEqual(predictAll(engine, plain, uneven.joined).predicted);

    const folder = join(temporaryDirectory(), 'model');
    saveFusedModel(folder, model);
    const loaded = await loadFusedModel(engine, folder);
    expect(predictAll(engine, loaded, uneven.joined).predicted).toEqual(named);
    const card = JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8'));
    writeFileSync(join(folder, 'model.json'), JSON.stringify({ ...card, decision: { gains: [1], costs: [0] } }));
    await expect(loadFusedModel(engine, folder)).rejects.toThrow(
      'decision must have gains and costs, a number per class',
    );

    const mixed = mixModels(engine, uneven, [model, plain], { calibrate: true, seconds: 1 });
    const rows = uneven.split.validation;
    const mixture = predictProbabilities(engine, mixed, uneven.joined, rows);
    expect(mixed.facts.decision).toEqual(fitDecisionRule(mixture, 4));

    const changed = toyInput({ classes: ['calm', 'storm', 'flood', 'hail'] }, model.facts.owners);
    changed.joined.owners[2].bundle = 'another';
    const refitted = await refitOwner(engine, model, changed.joined.owners[2].owner, changed);
    const refit = predictProbabilities(engine, refitted, changed.joined, rows);
    expect(refitted.facts.decision).toEqual(fitDecisionRule(refit, 4));
  });

  it.each([
    ['codes, layers, averaged weights', encoded],
    ['codes into the common space, with biases', { ...encoded, tables: 'common' }],
    ['codes into the common space and a learned graph', { encoding: 'quantiles', bins: 3, tables: 'common' }],
    ['codes, linear read-out and a learned graph', { encoding: 'quantiles', bins: 3 }],
    ['layers and a given bias behind a learned graph', { readout: 'layers', ownerBias: true, graphsPer: 'batch' }],
    ['hard alignment with biases', { alignment: 'hard', ownerBias: true, graph: 'none' }],
    ['boosted trees', { method: 'boosting', learningRate: 0.1 }],
  ] as [string, Partial<FusionConfig>][])(
    'by %s scores better than chance and comes back from disk',
    async (_, change) => {
      const partial = toyInput({ saw: (owner, sample) => (owner + sample) % 5 !== 0 });
      const fused = await fuseOwners(engine, partial, { ...quick, epochs: 30, ...change });
      expect(fused.facts.test.auc).toBeGreaterThan(0.7);
      const dir = join(temporaryDirectory(), 'model');
      saveFusedModel(dir, fused);
      const loaded = await loadFusedModel(engine, dir);
      const predict = (model: FusedModel) => predictProbabilities(engine, model, partial.joined, partial.split.test);
      expect(predict(loaded)).toEqual(predict(fused));
      expect(loaded.facts.config).toEqual(fused.facts.config);
    },
  );

  it('cuts bins from the training part alone', async () => {
    const [input, other] = [toyInput(), toyInput()];
    for (const row of [...other.split.validation, ...other.split.test]) {
      const size = OWNERS * other.joined.width;
      other.joined.embeddings.data.fill(1e6, row * size, (row + 1) * size);
    }
    const config = { ...quick, ...encoded };
    expect(shapeOf(other, config).binEdges).toEqual(shapeOf(input, config).binEdges);
  });

  it('refuses codes where there is no soft alignment, or where neighbours are looked for', async () => {
    const config: FusionConfig = { ...quick, encoding: 'quantiles' };
    await expect(fuseOwners(engine, input, { ...config, alignment: 'hard' })).rejects.toThrow(
      'encoding: quantiles need soft alignment and a graph other than knn, got alignment hard',
    );
    await expect(fuseOwners(engine, input, { ...config, graph: 'knn' })).rejects.toThrow('got graph knn');
  });

  it('tries codes and none, keeps the lower validation loss, and says so', async () => {
    const config: FusionConfig = { ...quick, ...encoded, tables: 'common', encoding: 'auto', epochs: 6 };
    const { facts } = await fuseOwners(engine, input, config);
    const losses = new Map(facts.encodings?.map(({ encoding, validationLoss }) => [encoding, validationLoss]));
    expect([...losses.keys()]).toEqual(['quantiles', 'none']);
    const kept = losses.get(facts.config.encoding) as number;
    expect(kept).toBe(Math.min(...losses.values()));
    expect(facts.validation.loss).toBeCloseTo(kept, 5);
    const alone = await fuseOwners(engine, input, { ...config, encoding: facts.config.encoding });
    expect(alone.facts.test).toEqual(facts.test);
    const { facts: several } = await fuseOwners(engine, input, config, { learningRates: [0.001, 0.02] });
    expect(several.encodings).toHaveLength(2);
    expect(several.learningRates?.map(({ rate }) => rate)).toEqual([0.001, 0.02]);
  });

  it('tries no codes where there can be none', async () => {
    const config: FusionConfig = { ...quick, encoding: 'auto', alignment: 'none', graph: 'none', epochs: 2 };
    const { facts } = await fuseOwners(engine, input, config);
    expect(facts.config.encoding).toBe('none');
    expect(facts.encodings).toBeUndefined();
  });

  it('leaves out codes whose tables do not fit into the memory, and says which owner is wide where they are asked for', async () => {
    const input = toyInput({ width: (owner) => (owner === 2 ? 500 : 3) });
    const config: FusionConfig = { ...quick, ...encoded, tables: 'common', bins: 256, epochs: 1 };
    const { facts } = await fuseOwners(engine, input, { ...config, encoding: 'auto' });
    expect(facts.config.encoding).toBe('none');
    const refused = fuseOwners(engine, input, config);
    await expect(refused).rejects.toMatchObject({ code: 'F3_OUT_OF_MEMORY' });
    await expect(refused).rejects.toThrow('got 4.3 GiB for 6 owners whose embeddings have up to 500 numbers (owner-2)');
  });

  it('goes on from a checkpoint to the same bits when codes and none are tried', async () => {
    const config: FusionConfig = { ...quick, ...encoded, tables: 'common', encoding: 'auto', epochs: 4 };
    const whole = await fuseOwners(engine, input, config);
    const states = new Map<number, TrainingState>();
    const checkpoints = {
      load: (rate: number) => states.get(rate),
      offer: () => undefined,
      save: (rate: number, state: TrainingState) => states.set(rate, state),
    };
    const stop = new AbortController();
    let epochs = 0;
    const onEpoch = () => {
      if (++epochs === 6) stop.abort(); // the second epoch of the fit without codes
    };
    await fuseOwners(engine, input, config, { checkpoints, onEpoch, signal: stop.signal });
    const resumed = await fuseOwners(engine, input, config, { checkpoints });
    expect(resumed.facts.encodings).toEqual(whole.facts.encodings);
    expect(resumed.facts.test).toEqual(whole.facts.test);
  });

  it('tries learning rates of boosted trees too', async () => {
    const config: FusionConfig = { ...quick, method: 'boosting', epochs: 15 };
    const { facts } = await fuseOwners(engine, input, config, { learningRates: [0.001, 0.2] });
    expect(facts.learningRates?.map(({ rate }) => rate)).toEqual([0.001, 0.2]);
    expect(facts.config.learningRate).toBe(0.2);
    expect(facts.history).toHaveLength(facts.epochs);
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
        learningRates: [0.01, 0.001],
        signal: stop.signal,
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
    const answer = (model: FusedModel) => predictProbabilities(engine, model, input.joined, rows);
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
      'refit owner-3: the model must have an alignment of that owner, got alignment none',
    );
    await expect(refitOwner(engine, fused, 'nobody', input)).rejects.toThrow('got no owner nobody');
    const trees = await fuseOwners(engine, input, { ...quick, method: 'boosting', epochs: 2 });
    await expect(refitOwner(engine, trees, 'owner-3', input)).rejects.toThrow(
      'got method boosting, whose trees look at all owners together: train it anew',
    );
  });

  it.each(['hidden', 'common'] as const)(
    'changes its tables into the %s space alone, though weights decay',
    async (tables) => {
      const config = { ...quick, ...encoded, tables, weightDecay: 0.5, epochs: 20 };
      const fused = await fuseOwners(engine, toyInput(), config);
      const samples = Array.from({ length: SAMPLES }, (_, s) => toyId(s));
      const owners = fused.facts.owners.map(({ owner }) => ({ owner }));
      const bundles = new BundleJoin(engine, { samples, owners });
      for (let owner = 0; owner < OWNERS; owner++) {
        const bundle = toyBundle(owner, { samples: SAMPLES, ...(owner === 3 && { width: () => 6 }) });
        bundles.add(bundle, owner === 3 ? 'retrained' : `hash-${owner}`);
      }
      const input = { ...toyInput(), joined: bundles.finish() };
      const { network, facts } = await refitOwner(engine, fused, 'owner-3', input);
      const [before, after] = [learned(fused).network, network];
      for (const name of ['b0', 'W1', 'b1', 'W2', 'b2']) {
        expect(after.parameters[name].data).toEqual(before.parameters[name].data);
      }
      const [bins, hidden] = [config.bins, tables === 'hidden' ? config.hidden : 4];
      const table = (model: typeof after, owner: number) => {
        const size = model.shape.width * bins * hidden;
        return Array.from(model.parameters.T.data.subarray(owner * size, owner * size + 4 * bins * hidden));
      };
      for (const owner of [0, 2, 4, 5]) expect(table(after, owner)).toEqual(table(before as typeof after, owner));
      expect(table(after, 3)).not.toEqual(table(before as typeof after, 3));
      expect(after.shape.width).toBe(6);
      expect(facts.test.auc).toBeGreaterThan(fused.facts.test.auc - 0.05);
      // Embeddings of the others, and with them everything the model says without owner-3, are as before.
      const alone = (model: typeof after, joined: FusionInput['joined']) => {
        const left = withoutOwners(engine, joined, input.split.test, new Set([3]));
        const rows = Uint32Array.from(input.split.test, (_, i) => i);
        return predictProbabilities(engine, { kind: 'learned', facts, network: model }, left, rows);
      };
      const [old, now] = [alone(before as typeof after, toyInput().joined), alone(after, input.joined)];
      old.forEach((probability, i) => {
        expect(now[i]).toBeCloseTo(probability, 6);
      });
    },
  );
});
