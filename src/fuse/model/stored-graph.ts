// [coordinator] The graph between owners that a stored model learned, was given or froze, straight from its weights: no engine, no
// network.
import type { StoredTensor } from '../../core/safetensors.ts';
import type { FusionConfig } from '../fusion-config.ts';
import { edgeProbabilities } from './edge-probabilities.ts';
import type { FusedCard } from './fused-card.ts';
import type { OwnerGraph } from './owner-graph.ts';

export interface GraphSources {
  config: Pick<FusionConfig, 'method' | 'graph'>;
  owners: number;
  /** [owner, owner] each, as far as the model has them. */
  theta?: ArrayLike<number> | undefined;
  adjacency?: ArrayLike<number> | undefined;
  neighbours?: ArrayLike<number> | undefined;
}

/** Only where edges belong to the model: neighbours that are not frozen are found anew for every batch. */
export function ownerGraph({ config, owners, theta, adjacency, neighbours }: GraphSources): OwnerGraph | undefined {
  if (config.method !== 'consensus') return undefined;
  if (theta) return { kind: 'learned', owners, probabilities: edgeProbabilities(theta, owners) };
  if (neighbours) {
    const similarities = Float32Array.from(neighbours, (value, at) => (at % (owners + 1) === 0 ? 0 : value));
    return { kind: 'neighbours', owners, probabilities: similarities };
  }
  if (config.graph !== 'given' || !adjacency) return undefined;
  const isEdge = (at: number) => at % (owners + 1) !== 0 && adjacency[at] > 0;
  const probabilities = Float32Array.from({ length: owners * owners }, (_, at) => (isEdge(at) ? 1 : 0));
  return { kind: 'given', owners, probabilities };
}

/**
 * Of an ensemble the mean of the graphs that its members learned, weighted as the members are; where none learned one, the first
 * that a member was given or froze.
 */
export function cardGraph(card: FusedCard, tensors: Readonly<Record<string, StoredTensor>>): OwnerGraph | undefined {
  const owners = card.owners.length;
  if (!card.ensemble) return storedGraph(card.config, owners, tensors);
  const { members, mixture } = card.ensemble;
  const graphs = members.map(({ config }, m) => {
    const own = Object.entries(tensors).filter(([name]) => name.startsWith(`${m}/`));
    const named = Object.fromEntries(own.map(([name, tensor]) => [name.slice(name.indexOf('/') + 1), tensor]));
    return { graph: storedGraph(config, owners, named), weight: mixture.weights[m] };
  });
  const learned = graphs.filter(({ graph }) => graph?.kind === 'learned');
  const total = learned.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return graphs.find(({ graph }) => graph)?.graph;
  const probabilities = Float32Array.from({ length: owners * owners }, (_, at) =>
    learned.reduce((sum, { graph, weight }) => sum + (weight / total) * (graph as OwnerGraph).probabilities[at], 0),
  );
  return { kind: 'learned', owners, probabilities };
}

/** `tensors`: of the weights, as they were decoded */
export function storedGraph(
  config: FusionConfig,
  owners: number,
  { theta, adjacency, neighbours }: Readonly<Record<string, StoredTensor | undefined>>,
): OwnerGraph | undefined {
  return ownerGraph({
    config,
    owners,
    theta: theta?.values,
    adjacency: adjacency?.values,
    neighbours: neighbours?.values,
  });
}
