// [coordinator] What can be seen in a fused model: its card, the graph it learned or was given, its alignments.
import { Engine } from '../../core/engine/engine.ts';
import { edgeProbabilities } from './edge-probabilities.ts';
import { GlobalModel } from './global-model.ts';
import { type FusedCard, loadFusedModel, readFusedWeights } from './model-folder.ts';
import type { OwnerAlignment } from './owner-alignment.ts';
import type { OwnerGraph } from './owner-graph.ts';

export interface ModelInsight {
  card: FusedCard;
  /** Only where edges belong to the model: neighbours are found anew for every batch. */
  graph?: OwnerGraph;
  alignment?: OwnerAlignment;
}

export async function inspectModel(dir: string): Promise<ModelInsight> {
  const engine = new Engine({ threads: 1 });
  try {
    const { card, network } = await loadFusedModel(engine, dir);
    if (!network) await readFusedWeights(dir, card); // votes have no weights, but the file must be the card's
    if (!(network instanceof GlobalModel)) return { card };
    const graph = graphOf(network);
    const alignment = alignmentsOf(network);
    return { card, ...(graph && { graph }), ...(alignment && { alignment }) };
  } finally {
    await engine.dispose();
  }
}

function graphOf({ config, shape, parameters }: GlobalModel): OwnerGraph | undefined {
  const { owners, adjacency } = shape;
  if (parameters.theta) {
    return { kind: 'learned', owners, probabilities: edgeProbabilities(parameters.theta.data, owners) };
  }
  if (config.graph !== 'given' || !adjacency) return undefined;
  const isEdge = (at: number) => at % (owners + 1) !== 0 && adjacency[at] > 0;
  const probabilities = Float32Array.from({ length: owners * owners }, (_, at) => (isEdge(at) ? 1 : 0));
  return { kind: 'given', owners, probabilities };
}

function alignmentsOf(network: GlobalModel): OwnerAlignment | undefined {
  const kind = network.config.alignment;
  const matrices = network.alignments();
  if (kind === 'none' || !matrices) return undefined;
  const [, rows, columns] = network.parameters.P.shape;
  return { kind, rows, columns, matrices };
}
