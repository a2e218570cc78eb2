// [coordinator] Makes a model as sure as it is right: its logits are divided by a temperature that the validation part chooses (Guo et
// al. 2017). The temperature goes into the weights, so whoever predicts with them need not know of it.
import type { Engine } from '../../core/engine/engine.ts';
import type { FusionInput } from '../join/fusion-input.ts';
import { predictProbabilities, type SingleModel } from './fused-model.ts';
import { fitMixture } from './mixture.ts';

/** The model with its temperature in the weights and in the facts; as it is where its config wants none. */
export function calibrateModel<Model extends SingleModel>(engine: Engine, model: Model, input: FusionInput): Model {
  const { joined, labels, split } = input;
  const { validation } = split;
  if (model.facts.config.calibration === 'none' || model.kind === 'voting' || validation.length === 0) return model;
  const truth = Int32Array.from(validation, (row) => labels.labels[row]);
  const probabilities = predictProbabilities(engine, model, joined, validation);
  const { temperature } = fitMixture([probabilities], truth, labels.classes.length, { calibrate: true });
  const facts = { ...model.facts, calibration: { temperature } };
  if (model.kind === 'boosted') return { ...model, facts, trees: model.trees.scaled(1 / temperature) };
  const { parameters, lastLayer } = model.network;
  for (const name of lastLayer) {
    const { data } = parameters[name];
    for (let i = 0; i < data.length; i++) data[i] /= temperature;
  }
  return { ...model, facts };
}
