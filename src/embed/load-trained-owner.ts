// [owner] An owner's windows and its trained model, both in the engine's memory.
import type { Engine } from '../core/engine/engine.ts';
import type { Tensor } from '../core/engine/tensor.ts';
import type { OwnerData } from '../data/dataset/dataset-format.ts';
import { readOwnerFolder } from '../data/dataset/owner-folder.ts';
import { F3Error } from '../errors.ts';
import type { LocalModel } from './local-model.ts';
import { loadOwnerModel, type ModelCard, readModelCard } from './owner-model.ts';
import { loadWindows } from './train-owner.ts';

/** An owner's windows and its trained model, both in the engine's memory. */
export interface TrainedOwner {
  owner: OwnerData;
  card: ModelCard;
  model: LocalModel;
  /** [sample, time, variate], normalised as the model was trained */
  windows: Tensor;
}

/** Reads an owner's windows and its trained model into the engine's memory. */
export async function loadTrainedOwner(engine: Engine, folder: string): Promise<TrainedOwner> {
  const owner = await readOwnerFolder(folder);
  const card = await readModelCard(folder);
  if (!card) throw new F3Error('F3_MODEL_FORMAT', `owner ${owner.id}: must be trained first, got no model.json`);
  const [found, wanted] = [owner, card].map(({ length, variates }) => `${length} × ${variates.join(', ')}`);
  if (found !== wanted) {
    throw new F3Error('F3_MODEL_FORMAT', `owner ${owner.id}: windows must be ${wanted} as in training, got ${found}`);
  }
  const model = await loadOwnerModel(engine, folder, card);
  return { owner, card, model, windows: loadWindows(engine, owner, card.normalisation) };
}
