// [coordinator] What can be seen in a fused model: its card, the graph it learned or was given, its alignments.
import { Engine } from '../../core/engine/engine.ts';
import type { FusedModel } from './fused-model.ts';
import type { GlobalModel } from './global-model.ts';
import { type FusedCard, loadFusedModel, readFusedWeights } from './model-folder.ts';
import type { OwnerAlignment } from './owner-alignment.ts';
import type { OwnerGraph } from './owner-graph.ts';
import { ownerGraph } from './stored-graph.ts';

/** A model's card, and its parts. */
export interface ModelInsight extends ModelParts {
  card: FusedCard;
}

/** The graph and the alignments of a model. */
export interface ModelParts {
  /** Only where edges belong to the model: neighbours that are not frozen are found anew for every batch. */
  graph?: OwnerGraph | undefined;
  alignment?: OwnerAlignment | undefined;
}

/** What can be seen in a model folder: its card, its graph, its alignments. */
export async function inspectModel(dir: string): Promise<ModelInsight> {
  const engine = new Engine({ threads: 1 });
  try {
    const model = await loadFusedModel(engine, dir);
    const { card } = model;
    if (model.kind === 'voting') await readFusedWeights(dir, card); // votes have no weights, but the file must be the card's
    return { card, ...modelParts(model) };
  } finally {
    await engine.dispose();
  }
}

/** The graph and the alignments of a model in memory, as far as it has them; of an ensemble those of its first member. */
export function modelParts(model: FusedModel): ModelParts {
  if (model.kind === 'ensemble') return modelParts(model.members[0]);
  if (model.kind !== 'learned' || model.network.kind !== 'consensus') return {};
  return { graph: graphOf(model.network), alignment: alignmentsOf(model.network) };
}

function graphOf({ config, shape, parameters }: GlobalModel): OwnerGraph | undefined {
  const { owners, adjacency, neighbours } = shape;
  return ownerGraph({ config, owners, theta: parameters.theta?.data, adjacency, neighbours });
}

function alignmentsOf(network: GlobalModel): OwnerAlignment | undefined {
  const kind = network.config.alignment;
  const matrices = network.alignments();
  if (kind === 'none' || !matrices) return undefined;
  const [, rows, columns] = network.parameters.P.shape;
  return { kind, rows, columns, matrices };
}
