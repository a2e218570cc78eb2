import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { runEntities } from '../../../test/support/local-entities.ts';
import { Engine } from '../../core/engine/engine.ts';
import { quantileEdges } from '../../core/quantile-edges.ts';
import { RandomStream } from '../../core/random.ts';
import { OPENINGS } from '../../shares/ledger.ts';
import type { SentMessage } from '../../shares/local-network.ts';
import { MemoryStore } from '../../shares/memory-store.ts';
import { codedBundle, quantileCodingOf } from '../../shares/owner/quantile-codes.ts';
import { Scheme } from '../../shares/scheme.ts';
import { shareEmbeddings } from '../../shares/share-embeddings.ts';
import { type FusionConfig, paperPreset } from '../fusion-config.ts';
import { makeFusionModel } from '../model/make-fusion-model.ts';
import { predictLogits } from '../model/predict-logits.ts';
import { type FusionData, trainFusion } from '../training/train-fusion.ts';
import { sampledGraphs } from './edge-learner.ts';
import { predictFromShares } from './predict-on-shares.ts';
import { checkSharesConfig } from './shared-shape-of.ts';
import { decodeSharesState, encodeSharesState, type SharesTrainingState } from './shares-state.ts';
import { modelName, type SharesData, trainOnShares } from './train-on-shares.ts';

const engine = new Engine({ threads: 1 });
afterAll(() => engine.dispose());

const [OWNERS, WIDTH, SAMPLES] = [9, 5, 240];

/** Owner i shows the class in number i mod 5 of its embedding, under noise. Some samples are missed by some owners. */
function easyData(hasGaps: boolean): { data: FusionData; values: Float32Array; known: SharesData } {
  const random = new RandomStream(4, 0);
  const labels = Int32Array.from({ length: SAMPLES }, () => random.integer(2));
  const values = new Float32Array(SAMPLES * OWNERS * WIDTH);
  const present = new Float32Array(SAMPLES * OWNERS).map(() => (hasGaps && random.uniform() < 0.2 ? 0 : 1));
  for (let i = 0; i < values.length; i++) {
    const at = Math.floor(i / WIDTH);
    const signal = i % WIDTH === (at % OWNERS) % WIDTH ? 2 * labels[Math.floor(at / OWNERS)] - 1 : 0;
    values[i] = present[at] * (signal + 0.7 * random.normal());
  }
  const rows = Uint32Array.from({ length: SAMPLES }, (_, i) => i);
  const split = { train: rows.subarray(0, 170), validation: rows.subarray(170, 200), test: rows.subarray(200) };
  const seen = hasGaps ? { present: engine.buffer([SAMPLES, OWNERS], present) } : {};
  const data = { embeddings: engine.buffer([SAMPLES, OWNERS, WIDTH], values), labels, split, ...seen };
  return { data, values, known: { labels, split, ...(hasGaps && { present }) } };
}

const adjacency = Float32Array.from({ length: OWNERS * OWNERS }, (_, at) => {
  const [i, j] = [Math.floor(at / OWNERS), at % OWNERS];
  return i !== j && (i + 2 * j) % 4 === 0 ? 0.5 : 0;
});
const shape = { owners: OWNERS, width: WIDTH, classes: 2, adjacency };
const config: FusionConfig = {
  ...paperPreset,
  activation: 'quadratic',
  optimizer: 'sgd',
  learningRate: 0.1,
  graphsPer: 'batch',
  batch: 25,
  hidden: 6,
  epochs: 3,
};

/** Losses of the steps in the clear, and the model's test logits. */
async function inTheClear(change: Partial<FusionConfig>, data: FusionData) {
  const model = makeFusionModel(engine, { ...config, ...change }, shape);
  const losses: number[] = [];
  const onStep = (state: () => { lossSum: number; batch: number }) => {
    const { lossSum, batch } = state();
    const before = batch === 1 ? 0 : sum;
    sum = lossSum;
    losses.push((lossSum - before) / Math.min(25, 170 - (batch - 1) * 25));
  };
  let sum = 0;
  const training = await trainFusion(engine, model, data, { onStep });
  const logits = predictLogits(engine, model, data, data.split.test);
  model.dispose();
  return { losses, training, logits };
}

const variants: [string, Partial<FusionConfig>, boolean][] = [
  ['no graph, soft alignment', { graph: 'none' }, false],
  ['no graph, no alignment', { graph: 'none', alignment: 'none' }, false],
  ['a given graph that is not symmetric', { graph: 'given' }, false],
  ['a learned graph', { graph: 'icdf' }, false],
  ['a learned graph without skip or alignment, by Gumbel', { graph: 'gumbel', skip: false, alignment: 'none' }, false],
  ['owners that saw only part of the samples', { graph: 'icdf', projectEdges: true }, true],
  ['owner dropout', { graph: 'icdf', ownerDropout: 0.4 }, false],
  ['a rate that rises and falls', { graph: 'icdf', schedule: 'cosine' }, false],
  ['owner dropout and missed samples, given graph', { graph: 'given', ownerDropout: 0.3 }, true],
];

describe('training on shares', () => {
  const scheme = new Scheme(1, 3);

  it.each(variants)('follows the clear: %s', async (_, change, hasGaps) => {
    const { data, values, known } = easyData(hasGaps);
    const clear = await inTheClear(change, data);
    const entities = runEntities(scheme, shareEmbeddings(scheme, values, OWNERS, WIDTH));
    const losses: number[] = [];
    const whole = { ...config, ...change };
    const onStep = (_step: number, loss: number) => losses.push(loss);
    const training = await trainOnShares(engine, entities.link, whole, shape, known, { onStep });
    expect(losses.length).toBe(21);
    for (const [step, loss] of losses.entries())
      expect(Math.abs(loss - clear.losses[step]), `step ${step}`).toBeLessThan(1e-3);
    expect(training.bestEpoch).toBe(clear.training.bestEpoch);
    expect(Math.abs(training.validationLoss - clear.training.validationLoss)).toBeLessThan(2e-3);
    const graphs = training.theta
      ? sampledGraphs(engine, whole, OWNERS, training.theta, whole.predictionGraphs)
      : whole.graph === 'given'
        ? [adjacency.map((value) => (value > 0 ? 1 : 0))]
        : [];
    const request = { shape: training.shape, graphs, rows: known.split.test, present: known.present };
    const logits = await predictFromShares(entities.link, request);
    for (const [i, value] of logits.entries())
      expect(Math.abs(value - clear.logits[i]), `logit ${i}`).toBeLessThan(5e-3);
    await entities.end();
  });

  it('follows the clear with quantile codes that the owners share', async () => {
    const { data, values, known } = easyData(false);
    const coded: FusionConfig = { ...config, encoding: 'quantiles', bins: 3, graph: 'icdf', learningRate: 0.05 };
    const source = { embeddings: values, owners: OWNERS, width: WIDTH };
    const binEdges = quantileEdges(source, data.split.train, 3);
    const model = makeFusionModel(engine, coded, { ...shape, binEdges });
    const clear = await trainFusion(engine, model, data);
    model.dispose();
    // Every owner codes its own numbers, from its own training part.
    const codes = new Float32Array(values.length * 3);
    for (let owner = 0; owner < OWNERS; owner++) {
      const samples = Array.from({ length: SAMPLES }, (_, row) => String(row));
      const own = samples.flatMap((_, row) => [
        ...values.subarray((row * OWNERS + owner) * WIDTH, (row * OWNERS + owner + 1) * WIDTH),
      ]);
      const bundle = { owner: `owner ${owner}`, samples, width: WIDTH, embeddings: Float32Array.from(own) };
      const coding = quantileCodingOf(bundle, samples.slice(0, data.split.train.length), 3);
      const { width, embeddings } = codedBundle(bundle, coding);
      for (let row = 0; row < SAMPLES; row++) {
        codes.set(embeddings.subarray(row * width, (row + 1) * width), (row * OWNERS + owner) * width);
      }
    }
    const entities = runEntities(scheme, shareEmbeddings(scheme, codes, OWNERS, WIDTH * 3));
    const training = await trainOnShares(engine, entities.link, coded, shape, known);
    for (const [epoch, { trainLoss, validationLoss }] of training.history.entries()) {
      expect(trainLoss).toBeCloseTo(clear.history[epoch].trainLoss, 3);
      expect(validationLoss).toBeCloseTo(clear.history[epoch].validationLoss, 3);
    }
    await entities.end();
  });

  it.each([
    [2, 5, undefined],
    [1, 5, [2, 3, 5]],
  ])('runs with threshold %i of %i entities, %j of them there', async (threshold, count, active) => {
    const wide = new Scheme(threshold, count);
    const { data, values, known } = easyData(false);
    const clear = await inTheClear({ epochs: 1 }, data);
    const entities = runEntities(
      wide,
      shareEmbeddings(wide, values, OWNERS, WIDTH),
      undefined,
      active ? { active } : {},
    );
    const { history } = await trainOnShares(engine, entities.link, { ...config, epochs: 1 }, shape, known);
    expect(history[0].trainLoss).toBeCloseTo(clear.training.history[0].trainLoss, 3);
    await entities.end();
  });

  it('goes on from a checkpoint to the same bits, though every process started anew', async () => {
    const { values, known } = easyData(true);
    const shares = shareEmbeddings(scheme, values, OWNERS, WIDTH);
    const stores = shares.map(() => new MemoryStore());
    const whole = { ...config, graph: 'icdf', ownerDropout: 0.2 } as const;
    let kept: Uint8Array | undefined;
    const onCheckpoint = (state: SharesTrainingState) => {
      if (state.step === 10) kept = encodeSharesState(state, 'test');
    };
    const first = runEntities(scheme, shares, stores);
    const losses: number[] = [];
    const training = await trainOnShares(engine, first.link, whole, shape, known, {
      onStep: (_, loss) => losses.push(loss),
      checkpointEvery: 5,
      onCheckpoint: async (state) => {
        onCheckpoint(state);
        if (state.step === 10) for (const [j, store] of stores.entries()) await keepCopy(store, copies[j], state);
      },
    });
    await first.end();
    const again = runEntities(scheme, shares, copies);
    const rest: number[] = [];
    const resume = decodeSharesState(kept as Uint8Array, 'test');
    const resumed = await trainOnShares(engine, again.link, whole, shape, known, {
      resume,
      onStep: (_, loss) => rest.push(loss),
    });
    expect(rest).toEqual(losses.slice(10));
    expect(resumed).toEqual(training);
    for (const [j, store] of stores.entries()) {
      expect(await copies[j].load(modelName(training.id))).toEqual(await store.load(modelName(training.id)));
    }
    await again.end();
    expect(() => decodeSharesState(kept as Uint8Array, 'another')).toThrow(
      expect.objectContaining({ code: 'F3_SHARES_STATE' }),
    );
  });
  const copies = [new MemoryStore(), new MemoryStore(), new MemoryStore()];

  it('stops at the next step when it is told to', async () => {
    const { values, known } = easyData(false);
    const entities = runEntities(scheme, shareEmbeddings(scheme, values, OWNERS, WIDTH));
    const stop = new AbortController();
    const steps: number[] = [];
    const onStep = (step: number) => {
      steps.push(step);
      if (step === 3) stop.abort();
    };
    await trainOnShares(engine, entities.link, config, shape, known, { onStep, signal: stop.signal });
    expect(steps).toEqual([1, 2, 3]);
    await entities.end();
  });

  it('predicts with any subset of the owners as the clear model does', async () => {
    const { data, values, known } = easyData(false);
    const model = makeFusionModel(engine, config, shape);
    await trainFusion(engine, model, data);
    const entities = runEntities(scheme, shareEmbeddings(scheme, values, OWNERS, WIDTH));
    const training = await trainOnShares(engine, entities.link, config, shape, known);
    const graphs = sampledGraphs(engine, config, OWNERS, training.theta as Float32Array, 10);
    const random = new RandomStream(9, 0);
    const rows = Uint32Array.from({ length: 12 }, (_, i) => 200 + i);
    const present = new Float32Array(SAMPLES * OWNERS).map(() => (random.uniform() < 0.5 ? 0 : 1));
    present.fill(0, 205 * OWNERS, 206 * OWNERS); // nobody
    const tensor = engine.buffer([SAMPLES, OWNERS], present);
    const masked = values.map((value, i) => value * present[Math.floor(i / WIDTH)]);
    const seen = { embeddings: engine.buffer([SAMPLES, OWNERS, WIDTH], masked), present: tensor };
    const wanted = predictLogits(engine, model, seen, rows);
    const got = await predictFromShares(entities.link, { shape: training.shape, graphs, rows, present });
    for (const [i, value] of got.entries()) expect(Math.abs(value - wanted[i]), `logit ${i}`).toBeLessThan(5e-3);
    // The projections were opened once and kept: another prediction opens its own numbers alone.
    const opened = () => entities.ledgers[0].lines().find(({ what }) => what === 'projections')?.openings;
    const before = opened();
    expect(await predictFromShares(entities.link, { shape: training.shape, graphs, rows, present })).toHaveLength(24);
    expect(opened()).toBe(before);
    model.dispose();
    await entities.end();
  });

  it('opens nothing that the ledger of openings does not name, and every party has the same on record', async () => {
    const { values, known } = easyData(false);
    const entities = runEntities(scheme, shareEmbeddings(scheme, values, OWNERS, WIDTH));
    await trainOnShares(engine, entities.link, { ...config, epochs: 1 }, shape, known);
    const lines = entities.ledgers[0].lines();
    expect(lines.map(({ what }) => what)).toEqual(Object.keys(OPENINGS));
    for (const { what, to, maskBits } of lines) {
      expect(to).toBe(OPENINGS[what].to);
      if (to === 'entities') expect(maskBits, what).toBeGreaterThanOrEqual(40);
    }
    const documented = readFileSync(new URL('../../../docs/threat-model.md', import.meta.url), 'utf8');
    for (const { what, to, maskBits = '–' } of lines) {
      expect(documented).toContain(`| ${what} | ${to} | ${maskBits} | ${OPENINGS[what].meaning} |`);
    }
    const measured = readFileSync(new URL('../../../docs/shares.md', import.meta.url), 'utf8');
    for (const { what, to, maskBits } of lines) {
      if (to === 'entities') expect(measured).toContain(`| ${what} | ${maskBits} |`);
    }
    const section = documented.split('## On shares')[1].split('\n## ')[0];
    expect(section.split('\n').filter((line) => /\| (entities|coordinator) \|/.test(line)).length).toBe(lines.length);
    for (const ledger of entities.ledgers) expect(ledger.lines()).toEqual(lines);
    const toCoordinator = lines.filter(({ to }) => to === 'coordinator');
    expect(entities.link.ledger.lines()).toEqual(toCoordinator);
    const edges = toCoordinator.find(({ what }) => what === 'edge gradients');
    expect(edges).toMatchObject({ openings: 7, count: (7 * OWNERS * (OWNERS - 1)) / 2 });
    await entities.end();
  });
});

async function keepCopy(from: MemoryStore, to: MemoryStore, { id, slot }: SharesTrainingState): Promise<void> {
  const name = `checkpoint ${id} ${slot}`;
  await to.save(name, (await from.load(name)) as Uint8Array);
}

describe('bad input', () => {
  const scheme = new Scheme(1, 3);

  it.each<[Partial<FusionConfig>, string]>([
    [{ activation: 'relu' }, 'activation: must be quadratic on shares, got relu'],
    [{ optimizer: 'adam' }, 'optimizer: must be sgd on shares, got adam'],
    [{ alignment: 'hard' }, 'alignment: must be soft or none on shares, got hard'],
    [{ graph: 'knn' }, 'graph: must be none or given or icdf or gumbel on shares, got knn'],
    [{ encoding: 'auto' }, 'encoding: must be none or quantiles on shares, got auto'],
    [{ encoding: 'quantiles', tables: 'common' }, 'tables: must be hidden on shares, got common'],
    [{ graphsPer: 'example' }, 'graphsPer: must be batch on shares, got example'],
    [{ averageWeights: 0.9 }, 'averageWeights: must be 0 on shares, got 0.9'],
    [{ method: 'transformer' }, 'method: must be consensus on shares, got transformer'],
  ])('a config that cannot be computed on shares is refused: %o', (change, message) => {
    expect(() => checkSharesConfig({ ...config, ...change })).toThrow(
      expect.objectContaining({ code: 'F3_SHARES_CONFIG', message }),
    );
  });

  it('entities refuse a model that is not that of their shares, and steps before there is one', async () => {
    const { values, known } = easyData(false);
    const entities = runEntities(scheme, shareEmbeddings(scheme, values, OWNERS, WIDTH));
    await expect(entities.link.calls.call({ kind: 'use best' })).rejects.toThrow(
      expect.objectContaining({
        code: 'F3_SHARES_STATE',
        message: 'entity 1: entity: a model must be opened before it is used, got none',
      }),
    );
    await expect(trainOnShares(engine, entities.link, config, { ...shape, width: 6 }, known)).rejects.toThrow(
      'shares: must be of 9 owners, the widest of 6 numbers, got 9 owners of width 5',
    );
    await entities.end();
  });

  it('weights that grow without bounds are noticed, not trained on', async () => {
    const { values, known } = easyData(false);
    const large = values.map((value) => value * 4000);
    const entities = runEntities(scheme, shareEmbeddings(scheme, large, OWNERS, WIDTH));
    await expect(trainOnShares(engine, entities.link, { ...config, learningRate: 1 }, shape, known)).rejects.toThrow(
      expect.objectContaining({ code: expect.stringMatching(/F3_SHARES_(OVERFLOW|RANGE)|F3_FUSE_DIVERGED/) }),
    );
  });

  it.each([
    [5, 'but those of entity 4 do not'],
    [4, '4 entities are too few to tell whose are wrong'],
  ])('with %i entities, one that sends wrong shares ends the training: %s', async (count, found) => {
    const { values, known } = easyData(false);
    const more = new Scheme(1, count);
    const lie = ({ from, tag, bytes }: SentMessage) => {
      if (from === 4 && tag.endsWith(' 2 opening 0')) bytes[5] ^= 1;
    };
    const shares = shareEmbeddings(more, values, OWNERS, WIDTH);
    const entities = runEntities(more, shares, undefined, { watch: lie });
    const losses: number[] = [];
    const training = trainOnShares(engine, entities.link, config, shape, known, {
      onStep: (_, loss) => void losses.push(loss),
    });
    const rule = 'entity 1: opening of projections: shares of all entities must lie on one polynomial';
    await expect(training).rejects.toThrow(
      expect.objectContaining({ code: 'F3_SHARES_WRONG', message: expect.stringContaining(rule) }),
    );
    await expect(training).rejects.toThrow(found);
    expect(losses).toHaveLength(2);
  });

  it('an entity with an old store cannot go on', async () => {
    const { values, known } = easyData(false);
    const shares = shareEmbeddings(scheme, values, OWNERS, WIDTH);
    let state: SharesTrainingState | undefined;
    const first = runEntities(scheme, shares);
    const onCheckpoint = (now: SharesTrainingState) => {
      state ??= now;
    };
    const once = { ...config, epochs: 1 };
    await trainOnShares(engine, first.link, once, shape, known, { checkpointEvery: 2, onCheckpoint });
    await first.end();
    const again = runEntities(scheme, shares);
    await expect(trainOnShares(engine, again.link, config, shape, known, { resume: state })).rejects.toThrow(
      /entity 1: checkpoint of shares: checkpoint [0-9a-f]{32} 1 must be kept here, got none/,
    );
    await again.end();
  });
});
