// [coordinator] What the weight of an edge in a given graph may be, wherever such a graph comes in.
import { F3Error } from '../../errors.ts';

export const EDGE_WEIGHT_RULE = 'finite in float32 and at least 0';

/** Models keep weights as float32, where 1e308 is infinite. */
export const isEdgeWeight = (weight: number): boolean => weight >= 0 && Number.isFinite(Math.fround(weight));

/** `weights`: [owner, owner]; `name`: of the graph, for the message. */
export function checkEdgeWeights(weights: ArrayLike<number>, owners: number, name: string): void {
  const wrong = Array.from(weights).findIndex((weight) => !isEdgeWeight(weight));
  if (wrong < 0) return;
  const place = `row ${Math.floor(wrong / owners) + 1}, column ${(wrong % owners) + 1}`;
  throw new F3Error('F3_FUSE_GRAPH', `${name}: weights must be ${EDGE_WEIGHT_RULE}, got ${weights[wrong]} in ${place}`);
}
