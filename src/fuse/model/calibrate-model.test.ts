import { afterAll, describe, expect, it } from 'vitest';
import { toyBundle, toyId, toyLabels } from '../../../test/support/toy-bundles.ts';
import { Engine } from '../../core/engine/engine.ts';
import { fuseEnsemble } from '../fuse-ensemble.ts';
import { fuseOwners } from '../fuse-owners.ts';
import { type FusionConfig, paperPreset } from '../fusion-config.ts';
import { BundleJoin } from '../join/bundle-join.ts';
import type { FusionInput } from '../join/fusion-input.ts';
import { placeSplit } from '../join/place-split.ts';
import { refitOwner } from '../training/refit-owner.ts';
import { predictProbabilities, type SingleModel } from './fused-model.ts';

const engine = new Engine({ threads: 1 });
afterAll(() => engine.dispose());

const [OWNERS, SAMPLES] = [4, 240];
const classes = ['calm', 'flood', 'storm'];
/** Long enough to be sure of itself. */
const quick: FusionConfig = { ...paperPreset, graph: 'none', epochs: 60, patience: 60, hidden: 16 };

function toyInput(known?: SingleModel): FusionInput {
  const samples = Array.from({ length: SAMPLES }, (_, s) => toyId(s));
  const order = known ? { owners: known.facts.owners } : { expected: OWNERS };
  const bundles = new BundleJoin(engine, { samples, ...order });
  for (let owner = 0; owner < OWNERS; owner++) {
    const hash = known && owner === 0 ? 'another' : `hash-${owner}`;
    bundles.add(toyBundle(owner, { samples: SAMPLES, classes }), hash);
  }
  const labels = { samples, labels: toyLabels(SAMPLES, classes.length, 1), classes };
  const joined = bundles.finish();
  const ids = { train: samples.slice(0, 60), validation: samples.slice(60, 150), test: samples.slice(150) };
  return { joined, labels, split: placeSplit(ids, joined, labels).rows };
}

const input = toyInput();
const fused = (change: Partial<FusionConfig>) => fuseOwners(engine, input, { ...quick, ...change });
const answers = (model: SingleModel, from = input) =>
  predictProbabilities(engine, model, from.joined, from.split.validation);

/** p^(1/T)/Σ p^(1/T) */
function tempered(probabilities: Float64Array, temperature: number): number[] {
  const powers = Array.from(probabilities, (p) => p ** (1 / temperature));
  const total = (at: number) => {
    const row = at - (at % classes.length);
    return powers.slice(row, row + classes.length).reduce((sum, power) => sum + power, 0);
  };
  return powers.map((power, at) => power / total(at));
}

describe('calibration', () => {
  it.each([
    ['a linear read-out', {}],
    ['a read-out of two layers', { readout: 'layers', epochs: 3 }],
    ['codes', { encoding: 'quantiles', bins: 4 }],
    ['a set transformer', { method: 'transformer' }],
    ['concatenated embeddings', { method: 'concatenation' }],
    ['boosted trees', { method: 'boosting', learningRate: 0.3 }],
  ] as [string, Partial<FusionConfig>][])('divides the logits of %s by one temperature', async (_, change) => {
    const plain = await fused(change);
    const calibrated = await fused({ ...change, calibration: 'temperature' });
    const { temperature = Number.NaN } = calibrated.facts.calibration ?? {};
    expect(Math.abs(temperature - 1)).toBeGreaterThan(0.01);
    const expected = tempered(answers(plain), temperature);
    for (const [at, p] of answers(calibrated).entries()) expect(p).toBeCloseTo(expected[at], 5);
    expect(calibrated.facts.validation.loss).toBeLessThan(plain.facts.validation.loss);
    expect(plain.facts.calibration).toBeUndefined();
  });

  it('stays what it is when one owner is refitted', async () => {
    const model = await fused({ calibration: 'temperature' });
    const refitted = await refitOwner(engine, model, 'owner-0', toyInput(model));
    if (model.kind !== 'learned') throw new Error('the model counts votes');
    expect(refitted.network.parameters.W1.data).toEqual(model.network.parameters.W1.data);
    expect(refitted.facts.calibration).toEqual(model.facts.calibration);
  });

  it('is left to the mixture by members of an ensemble', async () => {
    const { members, mixture } = await fuseEnsemble(engine, input, [{ ...quick, calibration: 'temperature' }], {
      calibrate: true,
    });
    expect(members[0].facts.calibration).toBeUndefined();
    expect(mixture.temperature).not.toBe(1);
  });
});
