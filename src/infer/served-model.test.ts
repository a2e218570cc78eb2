import { afterAll, describe, expect, it } from 'vitest';
import { toyBundle, toyLabels } from '../../test/support/toy-bundles.ts';
import { Engine } from '../core/engine/engine.ts';
import { fuseOwners } from '../fuse/fuse-owners.ts';
import { type FusionConfig, paperPreset } from '../fuse/fusion-config.ts';
import { BundleJoin } from '../fuse/join/bundle-join.ts';
import { encodeFusedModel } from '../fuse/model/fused-card.ts';
import { predictProbabilities } from '../fuse/model/fused-model.ts';
import { predictAll } from './predictions.ts';
import { ServedModel } from './served-model.ts';

const engine = new Engine({ threads: 1 });
afterAll(() => engine.dispose());

const [OWNERS, SAMPLES] = [5, 100];
/** Owner 2 is absent from every third sample. */
const saw = (owner: number, sample: number) => owner !== 2 || sample % 3 !== 0;

async function fuse(change: Partial<FusionConfig>) {
  const bundles = Array.from({ length: OWNERS }, (_, owner) => toyBundle(owner, { samples: SAMPLES, saw }));
  const join = new BundleJoin(engine, { expected: OWNERS, votes: true });
  for (const bundle of bundles) join.add(bundle, '');
  const joined = join.finish();
  const labels = toyLabels(SAMPLES, 2, 1);
  const ordered = Int32Array.from(joined.samples, (id) => labels[Number(id.slice(1))]);
  const rows = Uint32Array.from({ length: SAMPLES }, (_, i) => i);
  const split = { train: rows.subarray(0, 60), validation: rows.subarray(60, 80), test: rows.subarray(80) };
  const set = { samples: joined.samples, labels: ordered, classes: ['calm', 'storm'] };
  const config = { ...paperPreset, epochs: 3, hidden: 4, ...change };
  const fused = await fuseOwners(engine, { joined, labels: set, split }, config);
  const sampleOf = (id: string) =>
    new Map(
      bundles.flatMap(({ owner, samples, embeddings, width }) => {
        const row = samples.indexOf(id);
        return row < 0 ? [] : [[owner, embeddings.slice(row * width, (row + 1) * width)] as const];
      }),
    );
  return { fused, joined, rows, sampleOf };
}

describe('a served model', () => {
  it.each([
    {},
    { method: 'transformer' },
    { graph: 'none' },
    { encoding: 'quantiles', readout: 'layers', ownerBias: true, graph: 'none' },
    { encoding: 'quantiles', tables: 'common', readout: 'layers', graph: 'none' },
    { method: 'boosting', learningRate: 0.1 },
    { graph: 'knn', neighbours: 2, neighbourGraph: 'frozen' },
    { decision: 'f1' },
    { method: 'boosting', learningRate: 0.1, decision: 'f1' },
  ] as const)('answers as f3 predict does, %j', async (change) => {
    const { fused, joined, rows, sampleOf } = await fuse(change);
    const { card, weights } = encodeFusedModel(fused);
    const served = await ServedModel.load(card, weights);
    const answers = await Promise.all(joined.samples.map((id) => served.predict(sampleOf(id))));
    const expected = predictProbabilities(engine, fused, joined, rows);
    const predicted = predictAll(engine, fused, joined);
    answers.forEach(({ probabilities, owners, class: label }, s) => {
      expect(probabilities[1]).toBeCloseTo(expected[2 * s + 1], 5);
      expect(owners).toHaveLength(sampleOf(joined.samples[s]).size);
      expect(label).toBe(predicted.at(s).class);
    });
    const alone = await served.predict(sampleOf(joined.samples[7]));
    expect(alone).toEqual(answers[7]);
    await served.dispose();
  });

  it('refuses unknown owners, other widths and numbers that are not finite; and models made of votes', async () => {
    const { fused, sampleOf, joined } = await fuse({});
    const { card, weights } = encodeFusedModel(fused);
    const served = await ServedModel.load(card, weights);
    const sample = sampleOf(joined.samples[1]);
    expect(() => served.predict(new Map([['nobody', new Float32Array(4)]]))).toThrow('must be of owners of the model');
    expect(() => served.predict(new Map([...sample, ['owner-1', new Float32Array(3)]]))).toThrow(
      'owner owner-1: embedding width must be 4, got 3',
    );
    expect(() => served.predict(new Map([['owner-1', Float32Array.of(0, Number.NaN, 0, 0)]]))).toThrow(
      'owner owner-1: embedding must be finite, got NaN (column 1)',
    );
    await served.dispose();
    const votes = encodeFusedModel((await fuse({ method: 'majority' })).fused);
    await expect(ServedModel.load(votes.card, votes.weights)).rejects.toThrow('got method majority, which needs votes');
  });

  it('refuses a model whose answers would depend on who else is asked about', async () => {
    const { card, weights } = encodeFusedModel((await fuse({ graph: 'knn', neighbours: 2 })).fused);
    await expect(ServedModel.load(card, weights)).rejects.toMatchObject({
      code: 'F3_MODEL_SERVED',
      message: expect.stringContaining('train with neighbourGraph frozen'),
    });
  });

  it.each([{}, { graph: 'knn', neighbours: 2, neighbourGraph: 'frozen' }] as const)(
    'refuses a sample whose numbers are too large, and it alone, %j',
    async (change) => {
      const { fused, joined, sampleOf } = await fuse(change);
      const { card, weights } = encodeFusedModel(fused);
      const served = await ServedModel.load(card, weights);
      const [complete, masked] = [joined.samples[1], joined.samples[0]];
      for (const id of [complete, masked]) {
        const huge = new Map([...sampleOf(id), ['owner-3', new Float32Array(4).fill(3e38)]]);
        const outcomes = await Promise.allSettled(
          [id, 'huge', id].map((s) => served.predict(s === id ? sampleOf(s) : huge)),
        );
        const alone = await served.predict(sampleOf(id));
        expect(outcomes).toMatchObject([
          { status: 'fulfilled', value: alone },
          { status: 'rejected', reason: { code: 'F3_PREDICTION_NOT_FINITE' } },
          { status: 'fulfilled', value: alone },
        ]);
        expect((outcomes[1] as PromiseRejectedResult).reason.message).toMatch(
          /^owner owner-3: embedding must be small enough for a finite prediction, got (NaN|-?Infinity) \(class (calm|storm)\)$/,
        );
      }
      await served.dispose();
    },
  );
});
