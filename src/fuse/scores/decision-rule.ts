// [coordinator] Which class an answer names: the one that makes the expected F1 largest, max_c (2·p_c − F_c) / (n_c + t_c) (Lipton, Elkan, Naryanaswamy 2014; macro: Narasimhan et al. 2015).
import { predictedClasses } from './confusion.ts';

/** Naming class c is worth gains[c]·p_c − costs[c]; the class that is worth most is named. */
export interface DecisionRule {
  /** [class] */
  gains: number[];
  /** [class] */
  costs: number[];
}

/** With two classes decisions settle within a dozen steps; with more they come closer and closer. */
const MOST_STEPS = 100;

/**
 * The rule that makes the expected F1 largest (of class 1 of two, macro F1 of more) on samples like these, if the probabilities are
 * right. No label is looked at, so that a small part chooses as well as a large one. Undefined without samples.
 * probabilities: [sample, class]
 */
export function fitDecisionRule(probabilities: Float64Array, classes: number): DecisionRule | undefined {
  if (probabilities.length === 0) return undefined;
  let rule: DecisionRule = { gains: new Array(classes).fill(1), costs: new Array(classes).fill(0) };
  let best = { f1: -1, rule };
  let believed: ExpectedF1 | undefined;
  for (let step = 1; step <= MOST_STEPS; step++) {
    const expected = expectedF1(probabilities, predictedClasses(probabilities, classes, rule), classes);
    if (expected.f1 > best.f1) best = { f1: expected.f1, rule };
    // Of two classes every step is better than the one before, or the last.
    else if (classes === 2) break;
    believed = classes === 2 ? expected : closer(believed ?? expected, expected, 1 / step);
    rule = classes === 2 ? ruleOfTwo(believed.perClass[1]) : ruleOfMany(believed);
  }
  return best.rule;
}

/** A share of the way from `from` to `to`: decisions that followed the last ones at once would all change class together, there and back. */
function closer(from: ExpectedF1, to: ExpectedF1, share: number): ExpectedF1 {
  const between = (a: number[], b: number[]) => a.map((value, c) => value + share * (b[c] - value));
  return { f1: to.f1, perClass: between(from.perClass, to.perClass), sizes: between(from.sizes, to.sizes) };
}

interface ExpectedF1 {
  /** Of class 1 of two classes, the mean over more. */
  f1: number;
  /** [class] */
  perClass: number[];
  /** [class]: how many samples are named so plus how many are expected to be so, as a share of all samples. */
  sizes: number[];
}

/** F1 that decisions have in expectation: 2·Σ p_c over what is named c / (named c + expected c). */
function expectedF1(probabilities: Float64Array, named: Int32Array, classes: number): ExpectedF1 {
  const [hits, sizes] = [new Array<number>(classes).fill(0), new Array<number>(classes).fill(0)];
  named.forEach((says, row) => {
    hits[says] += probabilities[row * classes + says] / named.length;
    sizes[says] += 1 / named.length;
    for (let c = 0; c < classes; c++) sizes[c] += probabilities[row * classes + c] / named.length;
  });
  const perClass = hits.map((hit, c) => (sizes[c] > 0 ? (2 * hit) / sizes[c] : 0));
  const f1 = classes === 2 ? perClass[1] : perClass.reduce((sum, each) => sum + each, 0) / classes;
  return { f1, perClass, sizes };
}

/** Class 1 is named where its probability is above half of the F1 that can be had. */
const ruleOfTwo = (f1: number): DecisionRule => ({ gains: [0, 1], costs: [0, f1 / 2] });

/** What one more sample named c adds to the F1 of c. A class of which nothing is expected is never named. */
const ruleOfMany = ({ perClass, sizes }: ExpectedF1): DecisionRule => ({
  gains: sizes.map((size) => (size > 0 ? 2 / size : 0)),
  costs: perClass.map((f1, c) => (sizes[c] > 0 ? f1 / sizes[c] : 0)),
});
