// [coordinator] A given graph between owners, checked and put in the order in which the owners are joined.
import { F3Error } from '../../errors.ts';
import { checkEdgeWeights } from './edge-weight.ts';

/** A graph between owners whose rows and columns have names. */
export interface NamedGraph {
  /** Names its rows and columns. It may know more owners than are joined. */
  owners: readonly string[];
  /** [owner, owner], in the order of `owners` */
  weights: ArrayLike<number>;
}

/** Throws `F3_FUSE_GRAPH` unless the graph can be put in `order`. `name` is the graph's, for the message. */
export function checkNamedGraph({ owners, weights }: NamedGraph, order: readonly string[], name: string): void {
  const known = new Set<string>();
  for (const owner of owners) {
    if (known.has(owner)) throw graphError(`${name}: must name every owner once, got ${owner} again`);
    known.add(owner);
  }
  const missing = order.find((owner) => !known.has(owner));
  if (missing !== undefined) {
    throw graphError(`${name}: must have every owner of the bundles, got none named ${missing}`);
  }
  if (weights.length !== owners.length ** 2) {
    const rule = `must be ${owners.length} × ${owners.length} numbers, one row and column per owner`;
    throw graphError(`${name}: ${rule}, got ${weights.length} numbers`);
  }
  checkEdgeWeights(weights, owners.length, name);
}

/** The graph must have passed `checkNamedGraph`. → [owner, owner] in the order `order` */
export function orderGraph({ owners, weights }: NamedGraph, order: readonly string[]): Float64Array {
  const places = new Map(owners.map((owner, place) => [owner, place]));
  const rows = order.map((owner) => places.get(owner)!);
  return Float64Array.from(rows.flatMap((from) => rows.map((to) => weights[from * owners.length + to])));
}

const graphError = (message: string): F3Error => new F3Error('F3_FUSE_GRAPH', message);
