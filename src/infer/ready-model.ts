// [coordinator] A stored model made ready to answer: in an engine of its own, everything that samples share computed once.
import { Engine } from '../core/engine/engine.ts';
import { F3Error } from '../errors.ts';
import { ownerFeatures } from '../fuse/boosting/owner-features.ts';
import { type FusedCard, restoreFusedModel } from '../fuse/model/fused-card.ts';
import type { BoostedModel } from '../fuse/model/fused-model.ts';
import type { FusionModel } from '../fuse/model/fusion-model.ts';
import { type PredictionGraphs, predictLogits } from '../fuse/model/predict-logits.ts';
import { FrozenModel } from './frozen-model.ts';

/** embeddings: [sample, owner, d], present: [sample, owner] where somebody is absent → logits [sample, class] */
export type Logits = (samples: number, embeddings: Float32Array, present?: Float32Array) => Float32Array;

export interface ReadyModel {
  logits: Logits;
  dispose(): Promise<void>;
}

/** One thread: answers take microseconds, and a server's cores serve other requests. */
export async function readyModel(card: FusedCard, weights: Uint8Array, graphs?: PredictionGraphs): Promise<ReadyModel> {
  const engine = new Engine({ threads: 1 });
  const model = await restoreFusedModel(engine, card, async () => weights, 'model');
  if (model.kind === 'voting') {
    const rule = 'must predict from embeddings';
    throw new F3Error('F3_MODEL_SERVED', `model: ${rule}, got method ${card.config.method}, which needs votes`);
  }
  const dispose = () => engine.dispose();
  if (model.kind === 'boosted') return { logits: treeLogits(model), dispose };
  const { network } = model;
  if (network.kind === 'consensus') {
    if (!network.isFrozen) {
      const rule = 'an answer must not depend on the other samples that are asked about at the same time';
      const found = 'neighbours that are found anew in every batch; train with neighbourGraph frozen';
      throw new F3Error('F3_MODEL_SERVED', `model: ${rule}, got ${found}`);
    }
    const frozen = new FrozenModel(engine, network, graphs);
    return { logits: (samples, embeddings, present) => frozen.logits(samples, embeddings, present), dispose };
  }
  return { logits: (...sample) => logitsOf(engine, network, graphs, ...sample), dispose };
}

function treeLogits({ trees, facts }: BoostedModel): Logits {
  const owners = facts.owners.length;
  const width = trees.features / owners;
  return (samples, embeddings, present) => {
    const rows = Uint32Array.from({ length: samples }, (_, i) => i);
    return trees.logits(ownerFeatures({ embeddings, present, owners, width }, rows));
  };
}

/** For models that cannot be frozen: their tensors live as long as the call. */
function logitsOf(
  engine: Engine,
  network: FusionModel,
  graphs: PredictionGraphs | undefined,
  ...[samples, embeddings, present]: Parameters<Logits>
): Float32Array {
  const { owners, width } = network.shape;
  const data = {
    embeddings: engine.buffer([samples, owners, width], embeddings),
    ...(present && { present: engine.buffer([samples, owners], present) }),
  };
  const rows = Uint32Array.from({ length: samples }, (_, i) => i);
  const logits = predictLogits(engine, network, data, rows, graphs);
  engine.free(data.embeddings);
  if (data.present) engine.free(data.present);
  return logits;
}
