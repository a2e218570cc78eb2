// Rows L and M of Table 2: vertical federated learning, simulated. F³'s global model sends gradients into the owners' models.
import type { Engine } from '../../core/engine/engine.ts';
import type { Tape } from '../../core/engine/tape.ts';
import type { Tensor } from '../../core/engine/tensor.ts';
import { concatenate } from '../../core/ops/concatenate.ts';
import { gatherRows } from '../../core/ops/gather-rows.ts';
import { softmaxRows } from '../../core/softmax-rows.ts';
import type { LocalModel } from '../../embed/local-model.ts';
import type { LabelSet } from '../../exchange/labels/labels.ts';
import type { Part } from '../../exchange/labels/sample-parts.ts';
import type { FusionConfig } from '../../fuse/fusion-config.ts';
import type { FusionModel } from '../../fuse/model/fusion-model.ts';
import { makeFusionModel } from '../../fuse/model/make-fusion-model.ts';
import { maskOwners } from '../../fuse/model/mask-owners.ts';
import { predictLogits } from '../../fuse/model/predict-logits.ts';
import { type Scores, scores } from '../../fuse/scores/scores.ts';
import type { EmbedSamples, FusionEmbeddings } from '../../fuse/training/owner-batch.ts';
import { type FusionData, type Training, type TrainingOptions, trainFusion } from '../../fuse/training/train-fusion.ts';
import { type Traffic, WireTraffic } from './wire-traffic.ts';

export interface EndToEndOwner {
  id: string;
  /** The owner's model, which is trained in place. Its head is not: the coordinator classifies. */
  model: LocalModel;
  /** The owner's windows in the engine's memory, normalised if they are to be: [window, time, variate] */
  windows: Tensor;
  /** The number of each sample's window, −1 where the owner has none: [sample] */
  rows: Int32Array;
}

export interface EndToEndOptions extends Pick<TrainingOptions, 'onEpoch' | 'signal'> {
  /** Learning rate of the owners' models. The paper names none; the default, 0.001, is that at which they train alone. */
  localLearningRate?: number;
}

export interface EndToEndTraining extends Training {
  seconds: number;
  validation: Scores;
  test: Scores;
  /** What would have crossed the wire between machines. */
  traffic: { embeddings: Traffic; gradients: Traffic; evaluation: Traffic; total: Traffic };
  /** What F³ sends for the same samples. */
  oneUpload: Traffic;
}

export const LOCAL_LEARNING_RATE = 1e-3;

/**
 * One Adam over all parameters; global ones learn at `config.learningRate`. Early stopping on the validation loss with
 * the best epoch kept, on both sides, is `trainFusion`'s.
 */
export async function trainEndToEnd(
  engine: Engine,
  owners: readonly EndToEndOwner[],
  { labels, classes }: Pick<LabelSet, 'labels' | 'classes'>,
  split: Record<Part, Uint32Array>,
  config: FusionConfig,
  options: EndToEndOptions = {},
): Promise<EndToEndTraining> {
  const { localLearningRate = LOCAL_LEARNING_RATE, onEpoch, signal } = options;
  const start = performance.now();
  const traffic = new WireTraffic(owners.map(({ model, rows }) => ({ width: model.width, rows })));
  const shape = { owners: owners.length, width: widest(owners), classes: classes.length };
  const global = makeFusionModel(engine, config, shape);
  const whole = withOwners(global, owners);
  const globalParameters = new Set(Object.values(global.parameters));
  const live = liveEmbeddings(engine, owners);
  const data: FusionData = {
    ...live,
    labels,
    split,
    embeddings: (tape, samples) => {
      // Training is counted by the batch, where the tape records; validation is counted by the epoch.
      if (tape.recording) traffic.step(samples);
      return live.embeddings(tape, samples);
    },
  };
  const training = await trainFusion(engine, whole, data, {
    signal,
    rateScale: (parameter) => (globalParameters.has(parameter) ? 1 : localLearningRate / config.learningRate),
    onEpoch: (report) => {
      traffic.evaluate(split.validation);
      onEpoch?.(report);
    },
  });
  const seconds = (performance.now() - start) / 1000;
  traffic.evaluate(split.test);
  const scoresOf = (part: Part): Scores => {
    const probabilities = softmaxRows(predictLogits(engine, whole, data, split[part]), classes.length);
    const truth = Int32Array.from(split[part], (sample) => labels[sample]);
    return scores(probabilities, truth, classes.length);
  };
  const { embeddings, gradients, evaluation, total, oneUpload } = traffic;
  const result = {
    ...training,
    seconds,
    validation: scoresOf('validation'),
    test: scoresOf('test'),
    traffic: { embeddings, gradients, evaluation, total },
    oneUpload,
  };
  global.dispose();
  if (live.present) engine.free(live.present);
  return result;
}

/** The global model with the owners' weights among its parameters, so that they are updated and kept with it. */
function withOwners(global: FusionModel, owners: readonly EndToEndOwner[]): FusionModel {
  const local = owners.flatMap(({ id, model }) =>
    Object.entries(model.parameters)
      .filter(([name]) => !name.startsWith('head.'))
      .map(([name, tensor]) => [`${id}/${name}`, tensor] as const),
  );
  return {
    config: global.config,
    shape: global.shape,
    lastLayer: global.lastLayer,
    parameters: { ...global.parameters, ...Object.fromEntries(local) },
    forward: (tape, batch, graphs) => global.forward(tape, batch, graphs),
    dispose: () => global.dispose(),
  };
}

const widest = (owners: readonly EndToEndOwner[]) => Math.max(...owners.map(({ model }) => model.width));

/**
 * Embeddings that the owners' models make at the time they are asked for. `present` lies in the engine's memory, if
 * somebody missed a sample.
 */
export function liveEmbeddings(
  engine: Engine,
  owners: readonly EndToEndOwner[],
): FusionEmbeddings & { embeddings: EmbedSamples } {
  const width = widest(owners);
  const present = presence(engine, owners);
  const embeddings: EmbedSamples = (tape, samples) => {
    const batch = samples.length;
    const parts = owners.flatMap(({ model, windows, rows }) => {
      // Where the owner has no window, any window stands in and is masked.
      const chosen = samples.map((sample) => Math.max(0, rows[sample]));
      const embedding = model.embed(tape, gatherRows(tape, windows, chosen));
      return model.width === width ? [embedding] : [embedding, zeros(tape, [batch, width - model.width])];
    });
    const all = concatenate(tape, parts).view(batch, owners.length, width);
    return present ? maskOwners(tape, all, gatherRows(tape, present, samples).data) : all;
  };
  return { embeddings, ...(present && { present }) };
}

const zeros = (tape: Tape, shape: [number, number]): Tensor =>
  tape.constant(shape, new Float32Array(shape[0] * shape[1]));

/** 1 where the owner has a window of the sample: [sample, owner]. Undefined where every owner has every window. */
function presence(engine: Engine, owners: readonly EndToEndOwner[]): Tensor | undefined {
  if (owners.every(({ rows }) => rows.every((row) => row >= 0))) return undefined;
  const present = engine.buffer([owners[0].rows.length, owners.length]);
  const values = present.data;
  owners.forEach(({ rows }, o) => {
    rows.forEach((row, sample) => {
      values[sample * owners.length + o] = row < 0 ? 0 : 1;
    });
  });
  return present;
}
