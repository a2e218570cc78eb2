// [coordinator] Which class an answer names: the one that makes the expected F1 largest, max_c (2·p_c − F_c) / (n_c + t_c) (Lipton, Elkan, Naryanaswamy 2014; macro: Narasimhan et al. 2015).
import { predictedClasses } from './confusion.ts';

/** Naming class c is worth gains[c]·p_c − costs[c]; the class that is worth most is named. */
export interface DecisionRule {
  /** [class] */
  gains: number[];
  /** [class] */
  costs: number[];
}

/** Decisions get better with every step and settle within a dozen. */
const MOST_STEPS = 50;

/**
 * The rule that makes the expected F1 largest (of class 1 of two, macro F1 of more) on samples like these, if the probabilities are
 * right. No label is looked at, so that a small part chooses as well as a large one. Undefined without samples.
 * probabilities: [sample, class]
 */
export function fitDecisionRule(probabilities: Float64Array, classes: number): DecisionRule | undefined {
  if (probabilities.length === 0) return undefined;
  let rule: DecisionRule = { gains: new Array(classes).fill(1), costs: new Array(classes).fill(0) };
  let best = { f1: -1, rule };
  for (let step = 0; step < MOST_STEPS; step++) {
    const expected = expectedF1(probabilities, predictedClasses(probabilities, classes, rule), classes);
    if (expected.f1 <= best.f1) break;
    best = { f1: expected.f1, rule };
    rule = classes === 2 ? ruleOfTwo(expected.perClass[1]) : ruleOfMany(expected);
  }
  return best.rule;
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
