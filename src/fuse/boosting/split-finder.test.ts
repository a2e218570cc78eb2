import { afterAll, describe, expect, it } from 'vitest';
import { Engine } from '../../core/engine/engine.ts';
import { RandomStream } from '../../core/random.ts';
import { splitGain } from '../../core/reference/histogram-splits.ts';
import { binFeatures, MISSING_BIN } from './binning.ts';
import { SplitFinder } from './split-finder.ts';

const [SAMPLES, FEATURES] = [300, 7];
const random = new RandomStream(4, 0);
/** Features of many values, of few, of one, and with gaps. */
const values = Float32Array.from({ length: SAMPLES * FEATURES }, (_, at) => {
  const feature = at % FEATURES;
  if (feature === 3) return 5;
  const value = random.normal();
  if (feature >= 4 && random.uniform() < 0.2) return Number.NaN;
  return feature === 1 || feature === 5 ? Math.round(value) : value;
});
const bins = binFeatures(values, FEATURES);
const slopes = Float64Array.from({ length: SAMPLES * 2 }, (_, i) => {
  const sample = i >> 1;
  if (i % 2 === 1) return 0.05 + 0.2 * random.uniform();
  const signal = values[sample * FEATURES + 4] > 0.3 ? 0.4 : -0.2;
  return signal + 0.3 * random.normal();
});
const rules = { l2: 0.7, leastSamples: 20 };

/** The stretch of samples [start, start + count) in an order of its own. */
function stretch(order: Uint32Array, start: number, count: number) {
  let [gradient, hessian] = [0, 0];
  for (const sample of order.subarray(start, start + count)) {
    gradient += slopes[2 * sample];
    hessian += slopes[2 * sample + 1];
  }
  return { start, count, gradient, hessian, worth: gradient ** 2 / (hessian + rules.l2) };
}

function finderOn(engine: Engine, order: Uint32Array): SplitFinder {
  const finder = new SplitFinder(engine, bins, rules);
  finder.rows.set(order);
  order.forEach((sample, i) => {
    finder.slopes.set(slopes.subarray(2 * sample, 2 * sample + 2), 2 * i);
  });
  return finder;
}

const all = Uint32Array.from({ length: FEATURES }, (_, i) => i);
const order = new RandomStream(9, 0).permutation(SAMPLES);

describe('a split', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());

  it.each([
    [0, SAMPLES],
    [37, 150],
    [200, 61],
  ])('of samples %i and %i more is the best that can be found by trying all', (start, count) => {
    const finder = finderOn(engine, order);
    const node = stretch(order, start, count);
    const chosen = order.subarray(start, start + count);
    for (const feature of all) {
      const own = {
        missing: MISSING_BIN,
        bins: Array.from(chosen, (sample) => bins.binned[feature * SAMPLES + sample]),
        gradients: Array.from(chosen, (sample) => slopes[2 * sample]),
        hessians: Array.from(chosen, (sample) => slopes[2 * sample + 1]),
      };
      const tried: number[] = [];
      for (let bin = 0; bin < bins.thresholds[feature].length + 1; bin++) {
        for (const missingLeft of [false, true]) {
          const gain = splitGain(own, bin, missingLeft, rules);
          if (gain !== undefined && gain > 0) tried.push(gain);
        }
      }
      const found = finder.find(node, Uint32Array.of(feature));
      if (tried.length === 0) expect(found).toBeUndefined();
      else {
        expect(found?.gain).toBeCloseTo(Math.max(...tried), 9);
        const again = splitGain(own, found?.bin as number, found?.missingLeft as boolean, rules);
        expect(again).toBeCloseTo(found?.gain as number, 9);
      }
    }
    const single = Array.from(all, (feature) => finder.find(node, Uint32Array.of(feature))?.gain ?? -1);
    const best = finder.find(node, all);
    expect(best?.gain).toBe(Math.max(...single));
    expect(best?.feature).toBe(single.indexOf(Math.max(...single)));
    finder.dispose();
  });

  it('of a constant feature, or of too few samples, does not exist', () => {
    const finder = finderOn(engine, order);
    expect(finder.find(stretch(order, 0, SAMPLES), Uint32Array.of(3))).toBeUndefined();
    expect(finder.find(stretch(order, 0, 39), all)).toBeUndefined();
    finder.dispose();
  });

  it('is the same on three threads', async () => {
    const three = new Engine({ threads: 3 });
    const [one, other] = [finderOn(engine, order), finderOn(three, order)];
    const node = stretch(order, 0, SAMPLES);
    expect(other.find(node, all)).toEqual(one.find(node, all));
    one.dispose();
    await three.dispose();
  });

  it('gives its memory back', () => {
    finderOn(engine, order).dispose();
    const { used } = engine.memory;
    for (let i = 0; i < 5; i++) finderOn(engine, order).dispose();
    expect(engine.memory.used).toBe(used);
  });
});
