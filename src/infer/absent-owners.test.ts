import { afterAll, describe, expect, it } from 'vitest';
import { toyBundle, toyLabels } from '../../test/support/toy-bundles.ts';
import { decodeArrow, readIntegers, readTexts } from '../base/arrow-table.ts';
import { readFloatLists } from '../base/float-lists.ts';
import { Engine } from '../core/engine/engine.ts';
import { fuseOwners } from '../fuse/fuse-owners.ts';
import { paperPreset } from '../fuse/fusion-config.ts';
import { BundleJoin } from '../fuse/join/bundle-join.ts';
import { predictProbabilities } from '../fuse/model/fused-model.ts';
import { absenceCurve, withoutOwners } from './absent-owners.ts';
import { Predictions, predictAll, predictionsToArrow, predictionsToCsv } from './predictions.ts';

const engine = new Engine({ threads: 2 });
afterAll(() => engine.dispose());

const [OWNERS, SAMPLES] = [8, 240];
const join = new BundleJoin(engine, { expected: OWNERS, votes: true });
for (let owner = 0; owner < OWNERS; owner++) join.add(toyBundle(owner, { samples: SAMPLES }), '');
const joined = join.finish();
const labels = { samples: joined.samples, labels: toyLabels(SAMPLES, 2, 1), classes: ['calm', 'storm'] };
const rows = Uint32Array.from({ length: SAMPLES }, (_, i) => i);
const split = { train: rows.subarray(0, 140), validation: rows.subarray(140, 180), test: rows.subarray(180) };
const config = { ...paperPreset, epochs: 25, hidden: 4 };
const model = await fuseOwners(engine, { joined, labels, split }, config);
const truth = Int32Array.from(split.test, (row) => labels.labels[row]);

describe('absent owners', () => {
  it('are never all of them', () => {
    const curve = absenceCurve(engine, model, joined, split.test, truth, { shares: [7 / 8, 0.99], graphs: 'mean' });
    expect({ ...curve[1], absent: 7 / 8 }).toEqual(curve[0]);
    expect(curve[1].auc).not.toBe(0.5);
  });

  it('say nothing: their embeddings do not matter', () => {
    const left = withoutOwners(engine, joined, split.test, new Set([2, 5]));
    expect(left.isComplete).toBe(false);
    const before = predictProbabilities(engine, model, left, rows.subarray(0, 60), 'mean');
    const width = joined.width;
    for (let s = 0; s < 60; s++)
      for (const slot of [2, 5]) {
        const at = (s * OWNERS + slot) * width;
        expect(Array.from(left.embeddings.data.subarray(at, at + width))).toEqual([0, 0, 0, 0]);
      }
    const complete = predictProbabilities(engine, model, joined, split.test, 'mean');
    expect(before).not.toEqual(complete);
  });

  it('cost more the more they are, and nothing when there are none', () => {
    const curve = absenceCurve(engine, model, joined, split.test, truth, { shares: [0, 0.5, 0.875], repeats: 6 });
    const { f1, auc } = model.facts.test;
    expect(curve[0]).toEqual({ absent: 0, f1, f1Deviation: 0, auc, aucDeviation: 0 });
    expect(curve[2].auc).toBeLessThan(curve[0].auc);
    expect(curve[2].auc).toBeLessThan(curve[1].auc);
    expect(curve[1].aucDeviation).toBeGreaterThan(0);
  });

  it('are the same ones for the same seed', () => {
    const options = { shares: [0.5], repeats: 2, seed: 3, graphs: 'mean' } as const;
    const curve = () => absenceCurve(engine, model, joined, split.test, truth, options);
    expect(curve()).toEqual(curve());
  });
});

describe('a prediction', () => {
  it.each(['mean', 4] as const)('does not depend on the other samples (graphs %s)', (graphs) => {
    const together = predictProbabilities(engine, model, joined, rows, graphs);
    for (const row of [0, 57, 239]) {
      const alone = predictProbabilities(engine, model, joined, Uint32Array.of(row), graphs);
      expect(Array.from(alone)).toEqual(Array.from(together.subarray(2 * row, 2 * row + 2)));
    }
  });

  it('stands in a table, in Arrow and in CSV', () => {
    const predictions = predictAll(engine, model, joined, 'mean');
    const table = decodeArrow(predictionsToArrow(predictions));
    expect(readTexts(table, 'sample')).toEqual(joined.samples);
    expect(new Set(readTexts(table, 'class'))).toEqual(new Set(['calm', 'storm']));
    expect(readFloatLists(table.getChild('probabilities')!)).toMatchObject({ width: 2 });
    expect(readIntegers(table, 'owners')?.every((count) => count === OWNERS)).toBe(true);
    const [header, first] = predictionsToCsv(predictions).split('\n');
    expect(header).toBe('sample,class,p(calm),p(storm),owners');
    expect(first).toMatch(/^s0000,(calm|storm),0\.\d+,0\.\d+,8$/);
  });

  it('quotes what CSV needs quoted', () => {
    const one = { classes: ['a,b', 'c"d'], samples: ['x\ny'], predicted: Int32Array.of(1), present: Int32Array.of(1) };
    expect(predictionsToCsv(new Predictions({ ...one, probabilities: Float64Array.of(0.25, 0.75) }))).toBe(
      'sample,class,"p(a,b)","p(c""d)",owners\n"x\ny","c""d",0.25,0.75,1\n',
    );
  });
});
