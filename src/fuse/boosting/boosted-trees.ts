// [coordinator] Boosted trees that were learned: the class logits are a baseline plus what every tree says.
import type { StoredTensor } from '../../core/safetensors.ts';
import { NODE_NUMBERS } from './grow-tree.ts';

/** Boosted trees that were learned: logits are a baseline plus what every tree says. */
export class BoostedTrees {
  readonly classes: number;
  readonly features: number;
  /** [output]: two classes have one output, the logit of the second; more have one each */
  readonly #baseline: Float32Array;
  /** [tree]: number of its first node; trees of one iteration follow each other, one per output */
  readonly #roots: Float32Array;
  /** [node, 5] of all trees; children are numbered within their tree */
  readonly #nodes: Float32Array;

  private constructor(
    classes: number,
    features: number,
    baseline: Float32Array,
    roots: Float32Array,
    nodes: Float32Array,
  ) {
    this.classes = classes;
    this.features = features;
    this.#baseline = baseline;
    this.#roots = roots;
    this.#nodes = nodes;
  }

  /** `trees`: [iteration, output] in one row, nodes of each as `growTree` makes them. */
  static of(classes: number, features: number, baseline: Float32Array, trees: readonly Float32Array[]): BoostedTrees {
    const nodes = new Float32Array(trees.reduce((sum, tree) => sum + tree.length, 0));
    const roots = new Float32Array(trees.length);
    let at = 0;
    trees.forEach((tree, i) => {
      roots[i] = at / NODE_NUMBERS;
      nodes.set(tree, at);
      at += tree.length;
    });
    return new BoostedTrees(classes, features, baseline, roots, nodes);
  }

  /** What `tensors` gave. Throws what is wrong with them: a walk through broken trees might never end. */
  static from(tensors: Readonly<Record<string, StoredTensor>>, classes: number, features: number): BoostedTrees {
    const outputs = classes === 2 ? 1 : classes;
    const find = (name: string, shape: readonly (number | string)[]) => {
      const stored = tensors[`trees.${name}`];
      const fits =
        stored?.shape.length === shape.length &&
        shape.every((length, axis) => typeof length === 'string' || length === stored.shape[axis]);
      if (fits) return stored.values;
      throw new Error(
        `trees.${name} must be [${shape.join(', ')}], got ${stored ? `[${stored.shape.join(', ')}]` : 'none'}`,
      );
    };
    const roots = find('roots', ['iterations', outputs]);
    const nodes = find('nodes', ['nodes', NODE_NUMBERS]);
    checkNodes(roots, nodes, features);
    return new BoostedTrees(classes, features, find('baseline', [outputs]), roots, nodes);
  }

  get iterations(): number {
    return this.#roots.length / this.#baseline.length;
  }

  /** As a weights file keeps them. */
  tensors(): Record<string, StoredTensor> {
    return {
      'trees.baseline': { shape: [this.#baseline.length], values: this.#baseline },
      'trees.roots': { shape: [this.iterations, this.#baseline.length], values: this.#roots },
      'trees.nodes': { shape: [this.#nodes.length / NODE_NUMBERS, NODE_NUMBERS], values: this.#nodes },
    };
  }

  /** The same trees with logits that are `factor` times as large. */
  scaled(factor: number): BoostedTrees {
    const nodes = this.#nodes.slice();
    for (let value = NODE_NUMBERS - 1; value < nodes.length; value += NODE_NUMBERS) nodes[value] *= factor;
    const baseline = this.#baseline.map((logit) => logit * factor);
    return new BoostedTrees(this.classes, this.features, baseline, this.#roots, nodes);
  }

  /** values: [sample, feature], NaN where missing → logits [sample, class] */
  logits(values: Float32Array): Float32Array {
    const samples = values.length / this.features;
    const outputs = this.#baseline.length;
    const logits = new Float32Array(samples * this.classes);
    const first = this.classes - outputs;
    for (let s = 0; s < samples; s++) {
      const row = s * this.features;
      for (let output = 0; output < outputs; output++) {
        let sum = this.#baseline[output];
        for (let tree = output; tree < this.#roots.length; tree += outputs) {
          sum += walkTree(this.#nodes, this.#roots[tree], values, row);
        }
        logits[s * this.classes + first + output] = sum;
      }
    }
    return logits;
  }
}

/** What the tree whose first node is number `root` says about the sample whose features begin at `row`. */
export function walkTree(nodes: Float32Array, root: number, values: Float32Array, row: number): number {
  let at = root * NODE_NUMBERS;
  while (nodes[at] >= 0) {
    const value = values[row + nodes[at]];
    const goesLeft = Number.isNaN(value) ? nodes[at + 3] === 1 : value <= nodes[at + 1];
    at = (root + nodes[at + 2] + (goesLeft ? 0 : 1)) * NODE_NUMBERS;
  }
  return nodes[at + 4];
}

/** Every tree lies within the nodes, every child after its parent, every feature among those there are. */
function checkNodes(roots: Float32Array, nodes: Float32Array, features: number): void {
  const count = nodes.length / NODE_NUMBERS;
  roots.forEach((root, tree) => {
    const end = roots[tree + 1] ?? count;
    const isStretch = Number.isInteger(root) && Number.isInteger(end) && root >= 0 && root < end && end <= count;
    if (!isStretch) throw new Error(`trees.roots must ascend within the ${count} nodes, got ${root} (tree ${tree})`);
    for (let node = root; node < end; node++) {
      const [feature, , left] = nodes.subarray(node * NODE_NUMBERS, (node + 1) * NODE_NUMBERS);
      if (feature === -1) continue;
      const isFeature = Number.isInteger(feature) && feature >= 0 && feature < features;
      const hasChildren = Number.isInteger(left) && root + left > node && root + left + 1 < end;
      if (isFeature && hasChildren) continue;
      throw new Error(
        `trees.nodes must name one of ${features} features and later nodes, got ${feature} and ${left} (node ${node})`,
      );
    }
  });
}
