// [coordinator] The graphs that predictions on shares are averaged over, from what the coordinator keeps of a model: its config, θ or the given graph.
import type { Engine } from '../../core/engine/engine.ts';
import type { FusionConfig } from '../fusion-config.ts';
import type { PredictionGraphs } from '../model/predict-logits.ts';
import { sampledGraphs } from './edge-learner.ts';
import { givenEdges } from './train-on-shares.ts';

export interface KnownGraph {
  owners: number;
  /** [owner, owner], of a learned graph */
  theta?: Float32Array | undefined;
  /** [owner, owner], of a given graph */
  adjacency?: ArrayLike<number> | undefined;
}

/** None without a graph. */
export function predictionGraphs(
  engine: Engine,
  config: FusionConfig,
  { owners, theta, adjacency }: KnownGraph,
  graphs: PredictionGraphs = config.predictionGraphs,
): Float32Array[] {
  if (theta) return sampledGraphs(engine, config, owners, theta, graphs);
  return config.graph === 'given' ? [givenEdges(owners, adjacency)] : [];
}
