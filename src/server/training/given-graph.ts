// [coordinator] A graph between owners that a training is given: checked when it is asked for, put in order when it is used.
import { F3Error } from '../../errors.ts';
import { checkEdgeWeights } from '../../fuse/join/edge-weight.ts';

export interface GivenGraph {
  owners: string[];
  /** [owner][owner], in the order of `owners` */
  weights: number[][];
}

/** `order`: the owners that will be trained with. The graph may know more. */
export function checkGivenGraph({ owners, weights }: GivenGraph, order: readonly string[]): void {
  const twice = owners.find((owner, place) => owners.indexOf(owner) !== place);
  if (twice !== undefined) throw graphError(`must name every owner once, got ${twice} again`);
  const missing = order.find((owner) => !owners.includes(owner));
  if (missing !== undefined) throw graphError(`must have every owner, got none named ${missing}`);
  const size = owners.length;
  const rule = `must be ${size} × ${size} numbers, one row and column per owner`;
  if (weights.length !== size) throw graphError(`${rule}, got ${weights.length} rows`);
  for (const [row, numbers] of weights.entries()) {
    if (numbers.length !== size) throw graphError(`${rule}, got ${numbers.length} in row ${row + 1}`);
  }
  checkEdgeWeights(weights.flat(), size, 'adjacency');
}

/** One that was checked. → [owner, owner] in the order `order` */
export function orderGivenGraph({ owners, weights }: GivenGraph, order: readonly string[]): Float64Array {
  const places = order.map((owner) => owners.indexOf(owner));
  return Float64Array.from(places.flatMap((from) => places.map((to) => weights[from][to])));
}

const graphError = (message: string): F3Error => new F3Error('F3_FUSE_GRAPH', `adjacency: ${message}`);
