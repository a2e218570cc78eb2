// Arbitrary predictions for property tests: probabilities with ties, and labels.
import fc from './seeded-fast-check.ts';

export interface Predictions {
  classes: number;
  labels: number[];
  /** [sample, class], multiples of 1/8, so that ties are frequent; rows need not sum to 1. */
  probabilities: number[];
}

export const predictions = (mostClasses = 5): fc.Arbitrary<Predictions> =>
  fc.tuple(fc.integer({ min: 2, max: mostClasses }), fc.integer({ min: 1, max: 60 })).chain(([classes, samples]) =>
    fc.record({
      classes: fc.constant(classes),
      labels: fc.array(fc.nat(classes - 1), { minLength: samples, maxLength: samples }),
      probabilities: fc.array(
        fc.nat(8).map((eighths) => eighths / 8),
        { minLength: samples * classes, maxLength: samples * classes },
      ),
    }),
  );
