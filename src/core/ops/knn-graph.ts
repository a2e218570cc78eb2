// A = (B + Bᵀ)/2, B_ij = relu(cos(x_i, x_j)) for the κ+1 most similar owners j of i: the κ-NN graph of Table 3

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectArgument, expectShape } from '../errors.ts';

export interface KnnGraphOptions {
  /** κ, not counting the owner itself. Default 10. */
  neighbours?: number;
}

const NUMBERS_PER_TASK = 16_384;

/**
 * features: [batch, n, f], already mapped by an affine → A: [n, n], symmetric, entries ≥ 0.
 *
 * Owner i's vector x_i is its rows of the whole batch, one after the other (batch·f numbers). Every row keeps the owner
 * itself, always, and the κ most similar others, the lower index winning ties. The similarity 1 of an owner to itself
 * stays on the diagonal of A; `symmetricNormalise` adds its own I to that (kept, mirrored, + I). An owner whose vector
 * is zero (absent throughout the batch) is similar to nobody, not even to itself.
 * Gradients pass through the kept similarities; which ones are kept counts as a constant.
 */
export function knnGraph(tape: Tape, features: Tensor, options: KnnGraphOptions = {}): Tensor {
  const { neighbours = 10 } = options;
  expectShape('knnGraph features', features.shape, ['batch', 'owners', 'width']);
  const [batch, n, f] = features.shape;
  expectArgument(features.size > 0, 'knnGraph features', 'must not be empty', `[${features.shape.join(', ')}]`);
  const fits = Number.isInteger(neighbours) && neighbours >= 1 && neighbours < n;
  expectArgument(fits, 'knnGraph neighbours', `must be an integer from 1 to ${n - 1} (owners − 1)`, neighbours);
  const { engine } = tape;
  const perTask = Math.ceil(NUMBERS_PER_TASK / n);
  const tasks = Math.ceil(n / perTask);
  const products = tape.scratch(n * n);
  const inverse = tape.scratch(n);
  const kept = tape.scratch(n * n);
  const graph = tape.result([n, n], [features]);

  innerProducts(tape, features, products);
  engine.kernels.inverseLengths(n, products, inverse);
  const scratch = engine.threadScratch(neighbours * 8);
  const selection = [products, inverse, kept, scratch, engine.threadScratchBytes] as const;
  engine.run('nearestRows', tasks, perTask, n, neighbours, ...selection);
  engine.run('mirrorRows', tasks, perTask, n, kept, graph.address);

  tape.record(graph, () => {
    const counts = tape.scratch(n);
    const columns = tape.scratch(n * n);
    const values = tape.scratch(n * n);
    const list = [counts, columns, values] as const;
    const g = graph.gradientAddress;
    engine.run('nearestRowsBackward', tasks, perTask, n, graph.address, kept, inverse, g, ...list);
    const examples = Math.ceil(NUMBERS_PER_TASK / (n * neighbours));
    const groups = Math.ceil(batch / examples);
    const to = features.gradientAddress;
    engine.run('addSparseProduct', groups, examples, batch, n, f, ...list, features.address, to);
  });
  return graph;
}

/** Terms of the sum per launch: with this many, two panels of eight owners fit the first-level cache. */
const SUM_PER_LAUNCH = 256;

/** products [n, n] = x_i · x_j, eight rows per task, both factors read from one packed copy. */
function innerProducts(tape: Tape, features: Tensor, products: number): void {
  const [batch, n, f] = features.shape;
  const length = batch * f;
  const panels = Math.ceil(n / 8);
  const panelBytes = length * 32;
  const packed = tape.scratch(panels * length * 8);
  tape.engine.run('packOwners', batch, batch, n, f, features.address, packed);
  for (let from = 0; from < length; from += SUM_PER_LAUNCH) {
    const k = Math.min(SUM_PER_LAUNCH, length - from);
    const at = packed + from * 32;
    const left = [at, panelBytes, 4, 32] as const;
    const right = [at, 0, panelBytes, 32] as const;
    const to = [products, 8 * n * 4, n * 4, from > 0 ? 1 : 0] as const;
    tape.engine.run('gemm', panels, 8, n, k, n, k * panels, ...left, ...right, ...to, 0, 0);
  }
}
