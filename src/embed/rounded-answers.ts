// [owner] The local model's answer in the place of its embedding: the log odds of each class against the first, rounded to a few levels
// that the owner's training windows take equally often. It says what the owner knows of the label, and little else of the window.
import type { LocalModel } from './local-model.ts';
import { type AnsweredWindows, mergeLevels } from './merge-levels.ts';

/** How answers are rounded. It is learned once, on the training windows, and stands in the model's card. */
export interface RoundedAnswers {
  /** The most levels that the odds of a class have. */
  levels: number;
  /** [class − 1, level − 1]: where one level ends and the next begins, ascending; of one class there may be fewer than of another */
  cuts: number[][];
  /** [class − 1, level]: the log odds that stand for a level, the median of those within */
  odds: number[][];
}

/** Merges levels until at most `limit` of the readings is recovered: the training and validation windows, their odds left out. */
export interface LevelMerging extends Omit<AnsweredWindows, 'odds' | 'width'> {
  /** [sample, class] of the same windows */
  logits: Float32Array;
  limit: number;
}

export const MOST_LEVELS = 256;
/** Training windows per level where levels are merged. */
const FEWEST_PER_LEVEL = 10;

/** `logits`: [sample, class] of the training windows, which take all levels equally often unless some are merged */
export function learnAnswers(
  logits: Float32Array,
  classes: number,
  levels: number,
  merging?: LevelMerging,
): RoundedAnswers {
  const width = classes - 1;
  const values = logOdds(logits, classes);
  // What a level gives away must be seen often enough to be judged.
  const most = merging ? Math.max(2, Math.min(levels, Math.floor(logits.length / classes / FEWEST_PER_LEVEL))) : levels;
  const equal = learnCuts(values, width, most);
  const cuts = merging ? merged(equal, classes, merging) : equal;
  const odds = cuts.map((ends, c) => {
    const sorted = values.filter((_, at) => at % width === c).sort();
    return Array.from({ length: ends.length + 1 }, (_, level) => {
      const within = sorted.filter((value) => levelOf(value, ends) === level);
      return within.length > 0 ? within[within.length >> 1] : (ends[level] ?? ends[level - 1] ?? 0);
    });
  });
  return { levels: 1 + Math.max(...cuts.map((ends) => ends.length)), cuts, odds };
}

function merged(cuts: readonly number[][], classes: number, { logits, limit, ...windows }: LevelMerging): number[][] {
  const apart = cuts.map((ends) => [...new Set(ends)]);
  return mergeLevels(apart, { ...windows, odds: logOdds(logits, classes), width: classes - 1 }, limit);
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

/** values: [sample, width] → [sample, width]: levels that lie evenly from −1 to 1, or 0 where there is one only */
export function roundTo(values: Float32Array, cuts: readonly number[][]): Float32Array {
  return values.map((value, at) => {
    const ends = cuts[at % cuts.length];
    return ends.length === 0 ? 0 : (2 * levelOf(value, ends)) / ends.length - 1;
  });
}

/** Each column of values, [sample, width], in as many levels, each taken about equally often. */
export function answerLevels(values: Float32Array, width: number, levels: number): Float32Array {
  return roundTo(values, learnCuts(values, width, levels));
}

/** The same model, whose embedding is its rounded answer: one number per class but the first, evenly from −1 to 1. Votes follow from it. */
export function answerInstead(model: LocalModel, { cuts, odds }: RoundedAnswers): LocalModel {
  const width = cuts.length;
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
        const last = cuts[at % width].length;
        const level = Math.min(last, Math.max(0, Math.round(((answer + 1) / 2) * last)));
        logits[Math.floor(at / width) * (width + 1) + (at % width) + 1] = odds[at % width][level];
      }
      return tape.constant([rows, width + 1], logits);
    },
  };
}
