import { describe, expect, it } from 'vitest';
import fc from '../../../test/support/seeded-fast-check.ts';
import { RandomStream } from '../../core/random.ts';
import { predictedClasses } from './confusion.ts';
import { fitDecisionRule } from './decision-rule.ts';
import { scores } from './scores.ts';

/** Rows that add up to 1, some of them sure and some not. */
const rows = (classes: number, samples: { min: number; max: number }) =>
  fc
    .array(fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: classes, maxLength: classes }), {
      minLength: samples.min,
      maxLength: samples.max,
    })
    .map((weights) =>
      Float64Array.from(weights.flatMap((row) => row.map((weight) => weight / row.reduce((sum, each) => sum + each)))),
    );

/** F1 of decisions with the counts that are expected of them, from the definition. */
function expected(probabilities: Float64Array, named: ArrayLike<number>, classes: number): number {
  const each = Array.from({ length: classes }, (_, c) => {
    let [hits, said, are] = [0, 0, 0];
    for (let row = 0; row < named.length; row++) {
      const p = probabilities[row * classes + c];
      are += p;
      if (named[row] !== c) continue;
      said++;
      hits += p;
    }
    return said + are > 0 ? (2 * hits) / (said + are) : 0;
  });
  return classes === 2 ? each[1] : each.reduce((sum, f1) => sum + f1, 0) / classes;
}

/** All ways to name `samples` samples. */
function* allDecisions(samples: number, classes: number): Generator<number[]> {
  for (let number = 0; number < classes ** samples; number++) {
    yield Array.from({ length: samples }, (_, i) => Math.floor(number / classes ** i) % classes);
  }
}

describe('a decision rule', () => {
  it('of two classes reaches the largest expected F1 that any decisions have, with a threshold of half of it', () => {
    fc.assert(
      fc.property(rows(2, { min: 1, max: 9 }), (probabilities) => {
        const rule = fitDecisionRule(probabilities, 2);
        const reached = expected(probabilities, predictedClasses(probabilities, 2, rule), 2);
        const all = [...allDecisions(probabilities.length / 2, 2)].map((named) => expected(probabilities, named, 2));
        expect(reached).toBeCloseTo(Math.max(...all), 12);
      }),
    );
  });

  it('of more classes is never behind naming the likeliest, and close to the best of all decisions', () => {
    let [reached, best, likeliest] = [0, 0, 0];
    fc.assert(
      fc.property(rows(3, { min: 2, max: 7 }), (probabilities) => {
        const own = expected(probabilities, predictedClasses(probabilities, 3, fitDecisionRule(probabilities, 3)), 3);
        const plain = expected(probabilities, predictedClasses(probabilities, 3), 3);
        expect(own).toBeGreaterThanOrEqual(plain);
        const all = [...allDecisions(probabilities.length / 3, 3)].map((named) => expected(probabilities, named, 3));
        reached += own;
        likeliest += plain;
        best += Math.max(...all);
      }),
      { numRuns: 60 },
    );
    expect(best - reached).toBeLessThan(0.01 * (best - likeliest));
  });

  it('raises the macro F1 of labels that follow the probabilities, where a class is rare', () => {
    const random = new RandomStream(7, 1);
    const samples = 4000;
    const probabilities = new Float64Array(samples * 3);
    const labels = new Int32Array(samples);
    for (let row = 0; row < samples; row++) {
      const rare = 0.3 * random.uniform() ** 3;
      const second = (1 - rare) * random.uniform();
      probabilities.set([1 - rare - second, second, rare], row * 3);
      const drawn = random.uniform();
      labels[row] = drawn < rare ? 2 : drawn < rare + second ? 1 : 0;
    }
    const half = (samples / 2) * 3;
    const rule = fitDecisionRule(probabilities.slice(0, half), 3); // judged on the other half
    const others = [probabilities.slice(half), labels.slice(samples / 2), 3] as const;
    expect(scores(...others, rule).f1).toBeGreaterThan(scores(...others).f1 + 0.05);
    expect(scores(...others, rule)).toMatchObject({ auc: scores(...others).auc, loss: scores(...others).loss });
  });

  it('never names a class of which nothing is expected, and is none without samples', () => {
    const probabilities = Float64Array.of(0.6, 0.4, 0, 0.3, 0.7, 0, 0.9, 0.1, 0);
    const rule = fitDecisionRule(probabilities, 3);
    expect(predictedClasses(probabilities, 3, rule)).not.toContain(2);
    expect(fitDecisionRule(new Float64Array(0), 3)).toBeUndefined();
  });
});
