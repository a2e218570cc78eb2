// [coordinator] Baselines A–D: predictions made of the owners' own, without looking at embeddings.
import { indexOfMax } from '../../core/index-of-max.ts';
import { F3Error } from '../../errors.ts';
import type { VoteMethod } from '../fusion-config.ts';
import type { Joined, Votes } from '../join/bundle-join.ts';

/** What little a vote has to learn on the validation part. */
export interface VoteRule {
  method: VoteMethod;
  /** `threshold`: the share of votes for class 1 above which the answer is 1. */
  threshold?: number;
  /** `best`: owners by their validation accuracy, the best first. */
  order?: number[];
}

interface Part {
  rows: Uint32Array;
  /** [row] */
  labels: ArrayLike<number>;
}

export function fitVoteRule(method: VoteMethod, joined: Joined, validation: Part): VoteRule {
  const { classes } = votesOf(joined);
  if (method === 'best') return { method, order: rankOwners(joined, validation) };
  if (method !== 'threshold') return { method };
  if (classes !== 2) throw new F3Error('F3_FUSE_CLASSES', `method threshold: must have two classes, got ${classes}`);
  const shares = voteShares(joined, validation.rows).filter((_, i) => i % 2 === 1);
  return { method, threshold: bestThreshold(shares, validation.labels) };
}

/** → [row, class]: shares of votes, probabilities of the best owner present, or the owners' mean probabilities */
export function applyVoteRule(rule: VoteRule, joined: Joined, rows: Uint32Array): Float64Array {
  if (rule.method === 'majority') return voteShares(joined, rows);
  if (rule.method === 'threshold') return voteShares(joined, rows).map(aroundThreshold(rule.threshold ?? 0.5));
  if (rule.method === 'average') return meanProbabilities(joined, rows);
  return bestProbabilities(joined, rows, rule.order ?? []);
}

/** Owner `slot`'s own probabilities for the rows it saw: baseline A averages owners' scores. */
export function ownerProbabilities(
  joined: Joined,
  rows: Uint32Array,
  slot: number,
): { rows: Uint32Array; probabilities: Float64Array } {
  const { classes, probabilities } = votesOf(joined);
  const present = joined.present.data;
  const seen = rows.filter((row) => present[row * joined.owners.length + slot] === 1);
  const values = new Float64Array(seen.length * classes);
  seen.forEach((row, i) => {
    values.set(probabilities[slot].subarray(row * classes, (row + 1) * classes), i * classes);
  });
  return { rows: seen, probabilities: values };
}

function votesOf({ votes }: Joined): Votes {
  if (votes) return votes;
  const rule = 'every bundle must carry the class probabilities of its local model';
  throw new F3Error('F3_BUNDLE_VOTES', `votes: ${rule}, got some without`, { remedy: 'votes' });
}

/** Adds `say(slot, row)` of every owner present to a distribution over classes, normalised over who is there. */
function gather(
  joined: Joined,
  rows: Uint32Array,
  say: (slot: number, row: number, to: Float64Array) => void,
): Float64Array {
  const { classes } = votesOf(joined);
  const present = joined.present.data;
  const result = new Float64Array(rows.length * classes);
  rows.forEach((row, i) => {
    const to = result.subarray(i * classes, (i + 1) * classes);
    let count = 0;
    for (let slot = 0; slot < joined.owners.length; slot++) {
      if (present[row * joined.owners.length + slot] === 0) continue;
      say(slot, row, to);
      count++;
    }
    to.forEach((value, c) => {
      to[c] = count === 0 ? 1 / classes : value / count;
    });
  });
  return result;
}

function voteShares(joined: Joined, rows: Uint32Array): Float64Array {
  const { classes, probabilities } = votesOf(joined);
  return gather(joined, rows, (slot, row, to) => {
    to[indexOfMax(probabilities[slot], row * classes, classes)]++;
  });
}

function meanProbabilities(joined: Joined, rows: Uint32Array): Float64Array {
  const { classes, probabilities } = votesOf(joined);
  return gather(joined, rows, (slot, row, to) => {
    for (let c = 0; c < classes; c++) to[c] += probabilities[slot][row * classes + c];
  });
}

function bestProbabilities(joined: Joined, rows: Uint32Array, order: readonly number[]): Float64Array {
  const { classes, probabilities } = votesOf(joined);
  const present = joined.present.data;
  const result = new Float64Array(rows.length * classes).fill(1 / classes);
  rows.forEach((row, i) => {
    const slot = order.find((owner) => present[row * joined.owners.length + owner] === 1);
    if (slot === undefined) return;
    result.set(probabilities[slot].subarray(row * classes, (row + 1) * classes), i * classes);
  });
  return result;
}

/** By accuracy on the validation samples an owner saw; the first of equals first. */
function rankOwners(joined: Joined, { rows, labels }: Part): number[] {
  const { classes, probabilities } = votesOf(joined);
  const labelOf = new Map(Array.from(rows, (row, i) => [row, labels[i]]));
  const accuracy = joined.owners.map((_, slot) => {
    const { rows: seen } = ownerProbabilities(joined, rows, slot);
    const right = seen.filter((row) => indexOfMax(probabilities[slot], row * classes, classes) === labelOf.get(row));
    return seen.length === 0 ? 0 : right.length / seen.length;
  });
  return accuracy.map((_, slot) => slot).sort((a, b) => accuracy[b] - accuracy[a] || a - b);
}

/** The share, among those that occur, that gives the best F1 on validation; the lowest of equals. */
function bestThreshold(shares: Float64Array, labels: ArrayLike<number>): number {
  let best = { threshold: 0, f1: -1 };
  for (const threshold of [0, ...new Set(shares)].sort((a, b) => a - b)) {
    let [hits, predicted, positive] = [0, 0, 0];
    shares.forEach((share, i) => {
      const says = share > threshold ? 1 : 0;
      hits += says & labels[i];
      predicted += says;
      positive += labels[i];
    });
    const f1 = predicted + positive === 0 ? 0 : (2 * hits) / (predicted + positive);
    if (f1 > best.f1) best = { threshold, f1 };
  }
  return best.threshold;
}

/** Stretches [share of 0, share of 1] so that the threshold lies at one half: the likelier class is the answer. */
function aroundThreshold(threshold: number) {
  const stretch = (share: number) => {
    if (share <= threshold) return threshold === 0 ? 0 : (0.5 * share) / threshold;
    return 0.5 + (0.5 * (share - threshold)) / (1 - threshold);
  };
  return (share: number, i: number, shares: Float64Array): number =>
    i % 2 === 1 ? stretch(share) : 1 - stretch(shares[i + 1]);
}
