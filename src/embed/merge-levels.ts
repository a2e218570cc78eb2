// [owner] Chooses which levels of an answer an owner keeps apart. Neighbouring levels are merged until whoever sees an answer recovers at most a
// stated share of the readings. Each time those two are merged that give away most beside what they tell of the label.
import {
  largestOf,
  type Readings,
  type ReadWindows,
  readBySimilarity,
  readByTable,
  readingsOf,
} from './answer-readers.ts';

/** What merging looks at: an owner's training and validation windows. */
export interface AnsweredWindows extends ReadWindows {
  /** [sample, answer]: log odds */
  odds: Float32Array;
  /** Numbers in an answer: one per class but the first. */
  width: number;
  /** [sample] */
  labels: Int32Array;
}

/** Windows to come may give more away than those at hand, so merging aims at this part of the limit. */
const MARGIN = 0.8;
/** Nats of the label that count as nothing, so that merging levels which tell nothing is not divided by zero. */
const NO_INFORMATION = 1e-4;

/** Fewer cuts, [answer, cut]: a number whose cuts are all gone says nothing any more. `limit` is the share that may be recovered. */
export function mergeLevels(cuts: readonly number[][], of: AnsweredWindows, limit: number): number[][] {
  const reading = readingsOf(of);
  const judge = (finest: Int32Array, isKept: boolean[]) => judgePart(finest, isKept, of, reading);
  const withOneLess = ({ finest, isKept }: JudgedPart) => [...withoutOne(isKept)].map((less) => judge(finest, less));
  const kept = cuts.map((ends, c) => judge(levelsOf(of, c, ends), new Array(ends.length).fill(true)));
  const choices = kept.map(withOneLess);
  while (isTooMuch(kept, of, reading, MARGIN * limit)) {
    let best: { c: number; part: JudgedPart; worth: number } | undefined;
    for (const [c, now] of kept.entries()) {
      for (const part of choices[c]) {
        const worth = (now.share - part.share) / (Math.max(0, now.known - part.known) + NO_INFORMATION);
        if (!best || worth > best.worth) best = { c, part, worth };
      }
    }
    if (!best) break;
    kept[best.c] = best.part;
    choices[best.c] = withOneLess(best.part);
  }
  return cuts.map((ends, c) => ends.filter((_, k) => kept[c].isKept[k]));
}

/** One number of an answer, with some of its cuts. */
interface JudgedPart {
  /** [sample]: levels with all cuts */
  finest: Int32Array;
  /** [cut] */
  isKept: boolean[];
  /** [sample]: levels with the cuts that are kept */
  levels: Int32Array;
  /** The share of the readings that it gives away by itself, and what it tells of the label, in nats. */
  share: number;
  known: number;
}

function judgePart(finest: Int32Array, isKept: boolean[], of: AnsweredWindows, reading: Readings): JudgedPart {
  const merged = [0];
  for (const is of isKept) merged.push((merged.at(-1) as number) + Number(is));
  const levels = finest.map((level) => merged[level]);
  return { finest, isKept, levels, share: readByTable(levels, of, reading), known: labelInformation(levels, of) };
}

/** Every choice with one cut less. */
function* withoutOne(isKept: readonly boolean[]): Generator<boolean[]> {
  for (const k of isKept.keys()) {
    if (isKept[k]) yield isKept.map((is, j) => is && j !== k);
  }
}

/** Whether some reader recovers more than `most`: of one number, or of the whole answer where it has several. */
function isTooMuch(parts: readonly JudgedPart[], of: AnsweredWindows, reading: Readings, most: number): boolean {
  if (parts.some(({ share }) => share > most)) return true;
  if (parts.length === 1) return false;
  const levels = parts.map((part) => part.levels);
  return readByTable(wholeAnswers(levels), of, reading) > most || readBySimilarity(levels, reading) > most;
}

function levelsOf({ odds, width }: AnsweredWindows, c: number, cuts: readonly number[]): Int32Array {
  return Int32Array.from({ length: odds.length / width }, (_, row) => {
    let level = 0;
    while (level < cuts.length && odds[row * width + c] >= cuts[level]) level++;
    return level;
  });
}

/** [sample]: a number for each answer, the same where all of its levels are the same */
function wholeAnswers(parts: readonly Int32Array[]): Int32Array {
  const numbers = new Map<string, number>();
  return parts[0].map((_, row) => {
    const name = parts.map((levels) => levels[row]).join();
    const number = numbers.get(name) ?? numbers.size;
    numbers.set(name, number);
    return number;
  });
}

/** Mutual information of answer and label, in nats. */
function labelInformation(codes: Int32Array, { labels }: AnsweredWindows): number {
  const [rows, columns] = [1 + largestOf(codes), 1 + largestOf(labels)];
  const both = new Float64Array(rows * columns);
  for (const [row, code] of codes.entries()) both[code * columns + labels[row]]++;
  const ofCode = new Float64Array(rows);
  const ofLabel = new Float64Array(columns);
  for (const [at, n] of both.entries()) {
    ofCode[Math.floor(at / columns)] += n;
    ofLabel[at % columns] += n;
  }
  let information = 0;
  for (const [at, n] of both.entries()) {
    const expected = (ofCode[Math.floor(at / columns)] * ofLabel[at % columns]) / codes.length;
    if (n > 0) information += (n / codes.length) * Math.log(n / expected);
  }
  return information;
}
