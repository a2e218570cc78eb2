// [coordinator] Grows one regression tree on gradients: always at the leaf whose split lowers the loss most.
import { type Bins, MISSING_BIN } from './binning.ts';
import type { SplitFinder, Stretch, TreeSplit } from './split-finder.ts';

/** Numbers of a node in a tree: feature (−1 in a leaf), threshold, left child (the right one follows it), 1 where missing values go left, value. */
export const NODE_NUMBERS = 5;

export interface GrowthRules {
  leaves: number;
  leastSamples: number;
  l2: number;
  learningRate: number;
}

export interface GrownTree {
  /** [node, 5], the root first; float32, as they are stored */
  nodes: Float32Array;
  /** Stretches of the finder's rows, and what the tree says about the samples in them, in float64. */
  leaves: { start: number; count: number; value: number }[];
}

interface Node extends Stretch {
  at: number;
  split?: TreeSplit | undefined;
}

/** Keeps a leaf's value finite where all hessians are 0. */
const TINY = 1e-15;

/** The finder holds rows and their slopes; both are put into the order of the leaves. */
export function growTree(finder: SplitFinder, bins: Bins, features: Uint32Array, rules: GrowthRules): GrownTree {
  const nodes: number[] = [];
  const leaves: Node[] = [];
  const plant = (start: number, count: number, isLast = false): Node => {
    const [gradient, hessian] = sumSlopes(finder.slopes, start, count);
    const value = -gradient / (hessian + rules.l2 + TINY);
    const worth = nodes.length === 0 ? 0 : -gradient * value;
    const node: Node = { at: nodes.length / NODE_NUMBERS, start, count, gradient, hessian, worth };
    const mayGrow = count >= 2 * rules.leastSamples && !isLast;
    if (mayGrow) node.split = finder.find(node, features);
    nodes.push(-1, 0, 0, 0, rules.learningRate * value);
    return node;
  };
  leaves.push(plant(0, finder.rows.length));
  while (leaves.length < rules.leaves) {
    let best = -1;
    leaves.forEach(({ split }, i) => {
      if (split && (best < 0 || split.gain > (leaves[best].split as TreeSplit).gain)) best = i;
    });
    if (best < 0) break;
    const [parent] = leaves.splice(best, 1);
    const split = parent.split as TreeSplit;
    const left = partition(finder, bins, parent, split);
    const missingLeft = finder.hasMissing(split.feature) ? split.missingLeft : left > parent.count - left;
    const threshold = bins.thresholds[split.feature][split.bin] ?? Number.POSITIVE_INFINITY;
    const first = nodes.length / NODE_NUMBERS;
    nodes.splice(parent.at * NODE_NUMBERS, 4, split.feature, threshold, first, missingLeft ? 1 : 0);
    const isLast = leaves.length + 2 === rules.leaves;
    leaves.push(plant(parent.start, left, isLast), plant(parent.start + left, parent.count - left, isLast));
  }
  return {
    nodes: Float32Array.from(nodes),
    leaves: leaves.map(({ at, start, count }) => ({ start, count, value: nodes[at * NODE_NUMBERS + 4] })),
  };
}

function sumSlopes(slopes: Float64Array, start: number, count: number): [number, number] {
  let [gradient, hessian] = [0, 0];
  for (let i = 2 * start; i < 2 * (start + count); i += 2) {
    gradient += slopes[i];
    hessian += slopes[i + 1];
  }
  return [gradient, hessian];
}

/** Moves those that go left to the front of the node's stretch, both in their old order; returns how many they are. */
function partition(finder: SplitFinder, bins: Bins, { start, count }: Node, split: TreeSplit): number {
  const { rows, slopes, binned } = finder;
  const samples = binned.length / bins.thresholds.length;
  const column = split.feature * samples;
  const right = new Uint32Array(count);
  const rightSlopes = new Float64Array(2 * count);
  let [left, moved] = [start, 0];
  for (let i = start; i < start + count; i++) {
    const bin = binned[column + rows[i]];
    const goesLeft = bin === MISSING_BIN ? split.missingLeft : bin <= split.bin;
    if (goesLeft) {
      rows[left] = rows[i];
      slopes[2 * left] = slopes[2 * i];
      slopes[2 * left + 1] = slopes[2 * i + 1];
      left++;
    } else {
      right[moved] = rows[i];
      rightSlopes[2 * moved] = slopes[2 * i];
      rightSlopes[2 * moved + 1] = slopes[2 * i + 1];
      moved++;
    }
  }
  rows.set(right.subarray(0, moved), left);
  slopes.set(rightSlopes.subarray(0, 2 * moved), 2 * left);
  return left - start;
}
