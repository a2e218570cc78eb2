import { describe, expect, it } from 'vitest';
import { predictions } from '../../../test/support/predictions.ts';
import fc from '../../../test/support/seeded-fast-check.ts';
import { binaryScores, scores } from './scores.ts';

describe('scores', () => {
  it('do not depend on the order of the samples', () => {
    fc.assert(
      fc.property(predictions(), ({ classes, labels, probabilities }) => {
        const backwards = labels.flatMap((_, i) => probabilities.slice(-(i + 1) * classes).slice(0, classes));
        expectNear(scores(backwards, labels.toReversed(), classes), scores(probabilities, labels, classes));
      }),
    );
  });

  it('of more than two classes do not depend on how classes are numbered, where no two are equally probable', () => {
    fc.assert(
      fc.property(predictions(), fc.nat(4), ({ classes, labels, probabilities }, shift) => {
        fc.pre(classes > 2);
        const untied = probabilities.map((p, i) => p + 1e-4 * (i % classes));
        const moved = untied.map((_, i) => untied[i - (i % classes) + ((i + shift) % classes)]);
        const renamed = labels.map((label) => (label + classes - (shift % classes)) % classes);
        expectNear(scores(moved, renamed, classes), scores(untied, labels, classes));
      }),
    );
  });

  it('are the same of float32 as of float64 numbers, but for how far a probability of 0 is clipped', () => {
    const probabilities = [0.5, 0.5, 0.25, 0.75, 1, 0];
    const labels = [1, 1, 1];
    const single = scores(Float32Array.from(probabilities), labels, 2);
    const double = scores(probabilities, labels, 2);
    expect({ ...single, loss: 0 }).toEqual({ ...double, loss: 0 });
    const loss = (epsilon: number) => -(Math.log(0.5) + Math.log(0.75) + Math.log(epsilon)) / 3;
    expect(single.loss).toBeCloseTo(loss(2 ** -23), 12);
    expect(double.loss).toBeCloseTo(loss(2 ** -52), 12);
  });

  it('are all NaN without samples', () => {
    for (const classes of [2, 3])
      expect(new Set(Object.values(scores([], [], classes)))).toEqual(new Set([Number.NaN]));
  });

  it('that rank are NaN when a probability is', () => {
    for (const classes of [2, 3]) {
      const labels = Array.from({ length: 2 * classes }, (_, i) => i % classes);
      const { auc, prAuc, loss } = scores(new Float64Array(labels.length * classes).fill(Number.NaN), labels, classes);
      expect([auc, prAuc, loss]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
    }
  });

  it('name the rule that labels, probabilities or classes break', () => {
    expect(() => scores([0.5, 0.5], [2], 2)).toThrow(
      'scores label of row 0: must be a whole number from 0 to 1, got 2',
    );
    expect(() => scores([0.5, 0.5], [0, 1], 2)).toThrow('scores probabilities: shape must be [2, 2], got [1, 2]');
    expect(() => scores([1], [0], 1)).toThrow('scores classes: must be a whole number from 2, got 1');
  });
});

describe('binary scores', () => {
  it('are the scores of the two probabilities', () => {
    fc.assert(
      fc.property(predictions(2), ({ labels, probabilities }) => {
        const ofClass1 = probabilities.slice(0, labels.length);
        const { accuracy, f1, auc } = scores(
          ofClass1.flatMap((p) => [1 - p, p]),
          labels,
          2,
        );
        expect(binaryScores(ofClass1, labels)).toEqual({ accuracy, f1, auc });
      }),
    );
  });
});

function expectNear(got: object, wanted: object): void {
  const entries = Object.entries(wanted) as [keyof typeof got, number][];
  for (const [name, value] of entries) {
    if (Number.isNaN(value)) expect(got[name], name).toBeNaN();
    else expect(got[name], name).toBeCloseTo(value, 12);
  }
}
