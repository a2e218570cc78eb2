// [coordinator] A graph between owners that a training is given: checked when it is asked for, put in order when it is used.
import { F3Error } from '../../errors.ts';
import { checkNamedGraph, orderGraph } from '../../fuse/join/order-graph.ts';

export interface GivenGraph {
  owners: string[];
  /** [owner][owner], in the order of `owners` */
  weights: number[][];
}

/** `order`: the owners that will be trained with. The graph may know more. */
export function checkGivenGraph({ owners, weights }: GivenGraph, order: readonly string[]): void {
  const size = owners.length;
  const rule = `must be ${size} × ${size} numbers, one row and column per owner`;
  if (weights.length !== size) throw graphError(`${rule}, got ${weights.length} rows`);
  for (const [row, numbers] of weights.entries()) {
    if (numbers.length !== size) throw graphError(`${rule}, got ${numbers.length} in row ${row + 1}`);
  }
  checkNamedGraph({ owners, weights: weights.flat() }, order, 'adjacency');
}

/** The graph must have passed `checkGivenGraph`. → [owner, owner] in the order `order` */
export function orderGivenGraph({ owners, weights }: GivenGraph, order: readonly string[]): Float64Array {
  return orderGraph({ owners, weights: weights.flat() }, order);
}

const graphError = (message: string): F3Error => new F3Error('F3_FUSE_GRAPH', `adjacency: ${message}`);
