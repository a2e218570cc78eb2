// [coordinator] A stored model made ready to answer: in an engine of its own, everything that samples share computed once.
import { Engine } from '../core/engine/engine.ts';
import { softmaxRows } from '../core/softmax-rows.ts';
import { F3Error } from '../errors.ts';
import { ownerFeatures } from '../fuse/boosting/owner-features.ts';
import { type FusedCard, restoreFusedModel } from '../fuse/model/fused-card.ts';
import type { BoostedModel, EnsembleModel, SingleModel } from '../fuse/model/fused-model.ts';
import type { FusionModel } from '../fuse/model/fusion-model.ts';
import { applyMixture, memberSpread } from '../fuse/model/mixture.ts';
import { type PredictionGraphs, predictLogits } from '../fuse/model/predict-logits.ts';
import { predictedClasses } from '../fuse/scores/confusion.ts';
import { FrozenModel } from './frozen-model.ts';

/** embeddings: [sample, owner, d], present: [sample, owner] where somebody is absent → logits [sample, class] */
export type Logits = (samples: number, embeddings: Float32Array, present?: Float32Array) => Float32Array;

/** What a model says of some samples. */
export interface ModelOutputs {
  /** [sample, class] */
  logits: Float32Array;
  /** [sample], of an ensemble: how far its members are apart, see `memberSpread` */
  spread?: Float32Array;
}

/** What a model computes for a batch of samples. */
export type Outputs = (...batch: Parameters<Logits>) => ModelOutputs;

export interface ReadyModel {
  outputs: Outputs;
  dispose(): Promise<void>;
}

/** One thread: answers take microseconds, and a server's cores serve other requests. */
export async function readyModel(card: FusedCard, weights: Uint8Array, graphs?: PredictionGraphs): Promise<ReadyModel> {
  const engine = new Engine({ threads: 1 });
  const model = await restoreFusedModel(engine, card, async () => weights, 'model');
  const dispose = () => engine.dispose();
  if (model.kind !== 'ensemble') return { outputs: plainOutputs(readyLogits(engine, model, graphs)), dispose };
  return { outputs: mixedOutputs(engine, model, graphs), dispose };
}

const plainOutputs =
  (logits: Logits): Outputs =>
  (...batch) => ({ logits: logits(...batch) });

/** Logarithms of the mixed probabilities stand for logits: a softmax gives the probabilities back. */
function mixedOutputs(engine: Engine, { members, mixture, facts }: EnsembleModel, graphs?: PredictionGraphs): Outputs {
  const classes = facts.classes.length;
  const logitsOfMembers = members.map((member) => readyLogits(engine, member, graphs));
  return (...batch) => {
    const logits = logitsOfMembers.map((own) => own(...batch));
    const spoiled = logits.find((own) => !own.every(Number.isFinite));
    if (spoiled) return { logits: spoiled };
    const probabilities = logits.map((own) => softmaxRows(own, classes));
    const mixed = applyMixture(probabilities, classes, mixture);
    const spread = memberSpread(probabilities, predictedClasses(mixed, classes, facts.decision), classes, mixture);
    return { logits: Float32Array.from(mixed, Math.log), spread: Float32Array.from(spread) };
  };
}

function readyLogits(engine: Engine, model: SingleModel, graphs: PredictionGraphs | undefined): Logits {
  if (model.kind === 'voting') {
    const rule = 'must predict from embeddings';
    const found = `method ${model.facts.config.method}, which needs votes`;
    throw new F3Error('F3_MODEL_SERVED', `model: ${rule}, got ${found}`);
  }
  if (model.kind === 'boosted') return treeLogits(model);
  const { network } = model;
  if (network.kind !== 'consensus') return (...sample) => logitsOf(engine, network, graphs, ...sample);
  if (!network.isFrozen) {
    const rule = 'an answer must not depend on the other samples that are asked about at the same time';
    const found = 'neighbours that are found anew in every batch; train with neighbourGraph frozen';
    throw new F3Error('F3_MODEL_SERVED', `model: ${rule}, got ${found}`);
  }
  const frozen = new FrozenModel(engine, network, graphs);
  return (samples, embeddings, present) => frozen.logits(samples, embeddings, present);
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
