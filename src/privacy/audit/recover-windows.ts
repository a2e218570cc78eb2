// [owner] Attackers who know some windows and recover others from their embeddings: a straight line, a small network, a table.
import type { Engine } from '../../core/engine/engine.ts';
import { RandomStream } from '../../core/random.ts';
import type { Part } from '../../exchange/labels/sample-parts.ts';
import { fitTable } from './answer-table.ts';
import { fitNetwork } from './network-attacker.ts';
import { type Attacker, fitLine } from './ridge.ts';
import { columnsOf, pickColumns, pickRows, type Recovery, type Rows, recovered, rowCount } from './rows.ts';

/** Fewer pairs teach an attacker nothing. */
export const FEWEST_PAIRS = 5;

/** A straight line, a small network, or a table of the mean reading behind each answer, where embeddings take few values. */
export type AttackerKind = 'line' | 'network' | 'table';

/** What an attacker recovers of the readings. */
export interface WindowRecovery {
  attacker: AttackerKind;
  /** Share of all samples of which the attacker knows the readings. */
  known: number;
  /** Their number. */
  pairs: number;
  /** The mean of a window, its last reading, and every reading of it. */
  mean: Recovery;
  last: Recovery;
  every: Recovery;
}

/** What attackers see: embeddings, what they are after, and of which rows they know it. */
export interface AttackedRows {
  /** [sample, d] */
  embeddings: Rows;
  targets: WindowTargets;
  /** Rows that attackers may know, the first of them first. */
  known: readonly number[];
  /** Rows that they are judged on. */
  test: readonly number[];
  /** All samples, of which the shares known are shares. */
  samples: number;
}

/** One recovery per share and kind of attacker, and the attacker that recovers most of all readings. */
export function recoverWindows(
  engine: Engine,
  { embeddings, targets, known, test, samples }: AttackedRows,
  {
    shares,
    seed,
    attackers = ['line', 'network'],
  }: { shares: readonly number[]; seed: number; attackers?: readonly AttackerKind[] },
): { recoveries: WindowRecovery[]; best: Attacker } {
  const recoveries: WindowRecovery[] = [];
  let best: { share: number; attacker: Attacker } | undefined;
  for (const share of shares) {
    const pairs = known.slice(0, Math.max(FEWEST_PAIRS, Math.round(share * samples)));
    for (const kind of attackers) {
      const inputs = pickRows(embeddings, pairs);
      const seen = pickRows(targets.rows, pairs);
      const fit = { line: fitLine, table: fitTable, network: (a: Rows, b: Rows) => fitNetwork(engine, a, b, seed) };
      const attacker = fit[kind](inputs, seen);
      const found = scoreAims(targets, pickRows(targets.rows, test), attacker(pickRows(embeddings, test)), seen);
      // Of few samples the fewest pairs are a larger share than was asked for.
      recoveries.push({ attacker: kind, known: pairs.length / samples, pairs: pairs.length, ...found });
      if (!best || found.every.share > best.share) best = { share: found.every.share, attacker };
    }
  }
  return { recoveries, best: (best as { attacker: Attacker }).attacker };
}

/** Attackers know samples of the training and validation parts, in random order, and are judged on the test part. */
export function holdOut(
  samples: number,
  parts: readonly Part[] | undefined,
  seed: number,
): { known: number[]; test: number[] } {
  const order = Array.from(new RandomStream(seed, 3).permutation(samples));
  const isTest = parts ? (row: number) => parts[row] === 'test' : undefined;
  const half = Math.floor(samples / 2);
  const split = {
    known: isTest ? order.filter((row) => !isTest(row)) : order.slice(0, half),
    test: isTest ? order.filter(isTest) : order.slice(half),
  };
  if (split.known.length >= FEWEST_PAIRS && split.test.length >= FEWEST_PAIRS) return split;
  return { known: order.slice(0, half), test: order.slice(half) };
}

/** What attackers aim at, in one matrix: the mean of each variate, its last reading, then every reading. */
export interface WindowTargets {
  rows: Rows;
  /** First and last column of each aim. */
  columns: Record<'mean' | 'last' | 'every', [number, number]>;
}

export function windowTargets(windows: Rows, length: number, variates: number): WindowTargets {
  const [count, size] = [rowCount(windows), windows.width];
  const width = 2 * variates + size;
  const values = new Float64Array(count * width);
  for (let row = 0; row < count; row++) {
    const window = windows.values.subarray(row * size, (row + 1) * size);
    for (let at = 0; at < size; at++) values[row * width + (at % variates)] += window[at] / length;
    values.set(window.subarray(size - variates), row * width + variates);
    values.set(window, row * width + 2 * variates);
  }
  const columns: WindowTargets['columns'] = {
    mean: [0, variates],
    last: [variates, 2 * variates],
    every: [2 * variates, width],
  };
  return { rows: { values, width }, columns };
}

/** `seen` are the targets that the attacker knows: their mean is what it would guess without embeddings. */
function scoreAims(
  { columns }: WindowTargets,
  truth: Rows,
  guess: Rows,
  seen: Rows,
): Pick<WindowRecovery, 'mean' | 'last' | 'every'> {
  const score = ([from, to]: [number, number]) =>
    recovered(pickColumns(truth, from, to), pickColumns(guess, from, to), columnsOf(pickColumns(seen, from, to)).mean);
  return { mean: score(columns.mean), last: score(columns.last), every: score(columns.every) };
}
