// [owner] The local model's answer in the place of its embedding: the log odds of each class against the first, rounded to a few levels
// that the owner's training windows take equally often. It says what the owner knows of the label, and little else of the window.
import type { LocalModel } from './local-model.ts';

/** How answers are rounded. It is learned once, on the training windows, and stands in the model's card. */
export interface RoundedAnswers {
  levels: number;
  /** [class − 1, level − 1]: where one level ends and the next begins, ascending */
  cuts: number[][];
  /** [class − 1, level]: the log odds that stand for a level, the median of those within */
  odds: number[][];
}

export const MOST_LEVELS = 256;

/** `logits`: [sample, class] of the training windows */
export function learnAnswers(logits: Float32Array, classes: number, levels: number): RoundedAnswers {
  const width = classes - 1;
  const values = logOdds(logits, classes);
  const cuts = learnCuts(values, width, levels);
  const odds = cuts.map((ends, c) => {
    const sorted = values.filter((_, at) => at % width === c).sort();
    return Array.from({ length: levels }, (_, level) => {
      const within = sorted.filter((value) => levelOf(value, ends) === level);
      return within.length > 0 ? within[within.length >> 1] : (ends[level] ?? ends[level - 1]);
    });
  });
  return { levels, cuts, odds };
}

/** logits: [sample, class] → [sample, class − 1]: against the first class */
function logOdds(logits: Float32Array, classes: number): Float32Array {
  const width = classes - 1;
  return Float32Array.from({ length: (logits.length / classes) * width }, (_, at) => {
    const first = Math.floor(at / width) * classes;
    return logits[first + (at % width) + 1] - logits[first];
  });
}

/** values: [sample, width] → [width, level − 1]: quantiles of each column */
function learnCuts(values: Float32Array, width: number, levels: number): number[][] {
  return Array.from({ length: width }, (_, c) => {
    const sorted = values.filter((_, at) => at % width === c).sort();
    return Array.from({ length: levels - 1 }, (_, k) => sorted[Math.floor(((k + 1) * sorted.length) / levels)]);
  });
}

const levelOf = (value: number, cuts: readonly number[]): number => cuts.filter((cut) => value >= cut).length;

/** values: [sample, width] → [sample, width]: levels that lie evenly from −1 to 1 */
function roundTo(values: Float32Array, cuts: readonly number[][]): Float32Array {
  const last = cuts[0].length;
  return values.map((value, at) => (2 * levelOf(value, cuts[at % cuts.length])) / last - 1);
}

/** Each column of values, [sample, width], in as many levels, each taken about equally often. */
export function answerLevels(values: Float32Array, width: number, levels: number): Float32Array {
  return roundTo(values, learnCuts(values, width, levels));
}

/** The same model, whose embedding is its rounded answer: one number per class but the first, evenly from −1 to 1. Votes follow from it. */
export function answerInstead(model: LocalModel, { levels, cuts, odds }: RoundedAnswers): LocalModel {
  const width = cuts.length;
  const last = levels - 1;
  return {
    ...model,
    width,
    embed: (tape, windows) => {
      const logits = model.classify(tape, model.embed(tape, windows));
      const [rows, classes] = logits.shape;
      return tape.constant([rows, width], roundTo(logOdds(logits.data, classes), cuts));
    },
    classify: (tape, embedding) => {
      const rows = embedding.shape[0];
      const logits = new Float32Array(rows * (width + 1));
      for (const [at, answer] of embedding.data.entries()) {
        const level = Math.min(last, Math.max(0, Math.round(((answer + 1) / 2) * last)));
        logits[Math.floor(at / width) * (width + 1) + (at % width) + 1] = odds[at % width][level];
      }
      return tape.constant([rows, width + 1], logits);
    },
  };
}
