// [coordinator] Mixtures of the best fits of a search: members are added one by one while that lowers the loss, and a mixture is judged
// on halves of the validation part that its weights were not fitted on.
import { RandomStream } from '../../core/random.ts';
import { applyMixture, fitMixture, type Mixture } from '../model/mixture.ts';
import { logLoss } from '../scores/log-loss.ts';
import { criterionOf, situationWeights } from './situations.ts';

/** What the fits said of the validation part, and how situations count. */
export interface MixedFits {
  /** Per fit and situation: [validation sample, class] */
  fits: readonly (readonly Float64Array[])[];
  /** [validation sample] */
  labels: Int32Array;
  classes: number;
  absenceWeight: number;
}

/** Members of a mixture, at most. */
export const MOST_MIXED = 5;
const HALVES_STREAM = 0x6861_6c66;

/**
 * Positions of fits, the best first: of all that could be added, the one that lowers the criterion of the plain mean most, as
 * long as one does (Caruana et al. 2004). `order`: fits by their own criterion.
 */
export function chooseMembers(mixed: MixedFits, order: readonly number[]): number[] {
  const members = [order[0]];
  let lowest = meanCriterion(mixed, members);
  while (members.length < MOST_MIXED) {
    let added: number | undefined;
    for (const fit of order.filter((position) => !members.includes(position))) {
      const criterion = meanCriterion(mixed, [...members, fit]);
      if (criterion >= lowest) continue;
      [lowest, added] = [criterion, fit];
    }
    if (added === undefined) break;
    members.push(added);
  }
  return members;
}

/** Weights and temperature by the whole validation part, situations counting as in the criterion. */
export function mixMembers(mixed: MixedFits, members: readonly number[]): Mixture {
  const all = Uint32Array.from(mixed.labels.keys());
  return fitOn(mixed, members, all);
}

/** Per situation [validation sample, class], each half as a mixture says that was fitted on the other half. */
export function crossMixed(mixed: MixedFits, members: readonly number[]): Float64Array[] {
  const { fits, labels, classes } = mixed;
  const order = new RandomStream(0, HALVES_STREAM).permutation(labels.length);
  const middle = labels.length >> 1;
  const halves = [order.subarray(0, middle), order.subarray(middle)];
  if (middle === 0) return applied(mixed, members, { weights: members.map(() => 1 / members.length), temperature: 1 });
  const result = fits[members[0]].map((values) => new Float64Array(values.length));
  for (const [i, half] of halves.entries()) {
    const own = applied(mixed, members, fitOn(mixed, members, halves[1 - i]));
    for (const [situation, values] of own.entries()) {
      for (const row of half) {
        result[situation].set(values.subarray(row * classes, (row + 1) * classes), row * classes);
      }
    }
  }
  return result;
}

function applied({ fits, classes }: MixedFits, members: readonly number[], mixture: Mixture): Float64Array[] {
  return fits[members[0]].map((_, situation) =>
    applyMixture(
      members.map((fit) => fits[fit][situation]),
      classes,
      mixture,
    ),
  );
}

function meanCriterion(mixed: MixedFits, members: readonly number[]): number {
  const mixture = { weights: members.map(() => 1 / members.length), temperature: 1 };
  const losses = applied(mixed, members, mixture).map((values) => ({
    loss: logLoss(values, mixed.labels, mixed.classes),
  }));
  return criterionOf(losses, mixed.absenceWeight);
}

/** Every situation's rows stand behind each other, weighted as in the criterion. */
function fitOn({ fits, labels, classes, absenceWeight }: MixedFits, members: readonly number[], rows: Uint32Array) {
  const weights = situationWeights(absenceWeight);
  const situations = weights
    .keys()
    .filter((situation) => weights[situation] > 0)
    .toArray();
  const stacked = members.map((fit) => {
    const values = new Float64Array(situations.length * rows.length * classes);
    situations.forEach((situation, i) => {
      rows.forEach((row, at) => {
        const own = fits[fit][situation].subarray(row * classes, (row + 1) * classes);
        values.set(own, (i * rows.length + at) * classes);
      });
    });
    return values;
  });
  const truth = Int32Array.from({ length: situations.length * rows.length }, (_, i) => labels[rows[i % rows.length]]);
  const rowWeights = Float64Array.from(truth, (_, i) => weights[situations[Math.floor(i / rows.length)]] / rows.length);
  return fitMixture(stacked, truth, classes, { calibrate: true, rowWeights });
}
