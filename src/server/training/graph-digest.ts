// [coordinator] A given graph without its edges: which owners it names, to be compared with those that have sent bundles.
import { canonicalJson } from '../../base/canonical-json.ts';
import { sha256 } from '../../base/sha256.ts';
import { F3Error } from '../../errors.ts';
import { EDGE_WEIGHT_RULE, isEdgeWeight } from '../../fuse/join/edge-weight.ts';
import { type GivenEdge, type GivenGraph, graphWeights } from '../../fuse/join/given-graph.ts';

/** A graph of more owners would have more edges than a training can hold. */
const MOST_OWNERS = 10_000;
const NAME = 'adjacency';

export interface GraphDigest {
  /** Every owner that the graph names, with the edge that names it first; a matrix has no edges. */
  owners: { owner: string; edge?: { number: number; text: string } }[];
  isMatrix: boolean;
  sha256: string;
}

/** Checks all of a graph that can be checked without knowing who has sent bundles. */
export function digestGraph(graph: GivenGraph): GraphDigest {
  const isMatrix = 'weights' in graph;
  const owners = isMatrix ? graph.owners.map((owner) => ({ owner })) : namedBy(graph);
  if (owners.length > MOST_OWNERS) throw tooMany();
  if (isMatrix) graphWeights(graph, [], NAME);
  return { owners, isMatrix, sha256: sha256(canonicalJson(graph)) };
}

/** `order` are the owners of the bundles. */
export function requireGraphOwners({ owners, isMatrix }: GraphDigest, order: readonly string[]): void {
  const known = new Set(isMatrix ? owners.map(({ owner }) => owner) : order);
  const missing = isMatrix ? order.find((owner) => !known.has(owner)) : undefined;
  if (missing !== undefined) {
    throw graphError(`must have every owner of the bundles, got none named ${missing}`);
  }
  const stranger = owners.find(({ owner, edge }) => edge && !known.has(owner))?.edge;
  if (stranger) throw edgeError(stranger.number, stranger.text);
}

function namedBy(edges: readonly GivenEdge[]): GraphDigest['owners'] {
  const named = new Map<string, { number: number; text: string }>();
  for (const [i, { from, to, weight = 1 }] of edges.entries()) {
    if (!isEdgeWeight(weight)) throw edgeError(i + 1, `${from}, ${to}, ${weight}`);
    for (const owner of [from, to]) {
      if (named.has(owner)) continue;
      named.set(owner, { number: i + 1, text: `${from}, ${to}, ${weight}`.slice(0, 600) });
      if (named.size > MOST_OWNERS) throw tooMany();
    }
  }
  return Array.from(named, ([owner, edge]) => ({ owner, edge }));
}

const tooMany = () => graphError(`must name at most ${MOST_OWNERS} owners, got more`);

const edgeError = (number: number, found: string): F3Error =>
  graphError(
    `edge ${number} must be between two owners of the bundles, with a weight that is ${EDGE_WEIGHT_RULE}, got ${found}`,
  );

const graphError = (message: string): F3Error => new F3Error('F3_FUSE_GRAPH', `${NAME}: ${message}`);
