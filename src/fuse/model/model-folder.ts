// [coordinator] A fused model on disk: a folder with weights as safetensors and a JSON card, written whole or not at all.
import { join } from 'node:path';
import { readBytes } from '../../base/read-file.ts';
import { type DirectoryTarget, writeWholeDirectory } from '../../base/whole-directory.ts';
import type { Engine } from '../../core/engine/engine.ts';
import type { StoredTensor } from '../../core/safetensors.ts';
import {
  decodeFusedWeights,
  encodeFusedModel,
  type FusedCard,
  parseFusedCard,
  restoreFusedModel,
} from './fused-card.ts';
import type { FusedModel } from './fused-model.ts';

export type { FusedCard } from './fused-card.ts';

export const MODEL_CARD_FILE = 'model.json';
export const MODEL_WEIGHTS_FILE = 'model.safetensors';

/** For `checkTarget` before training, and for writing after it. */
export const modelTarget = (overwrite: boolean): DirectoryTarget => ({
  content: 'a model',
  mark: MODEL_CARD_FILE,
  overwrite,
  exists: 'F3_MODEL_EXISTS',
  unwritable: 'F3_MODEL_UNWRITABLE',
});

/** Writes a model folder, whole or not at all. */
export function saveFusedModel(
  dir: string,
  model: FusedModel,
  { overwrite = false, created = new Date() }: { overwrite?: boolean; created?: Date } = {},
): FusedCard {
  const { card, weights } = encodeFusedModel(model, created);
  const files = { [MODEL_WEIGHTS_FILE]: weights, [MODEL_CARD_FILE]: `${JSON.stringify(card, null, 2)}\n` };
  writeWholeDirectory(dir, files, modelTarget(overwrite));
  return card;
}

/** Reads the card of a model folder, and no weights. */
export async function readFusedCard(dir: string): Promise<FusedCard> {
  const file = join(dir, MODEL_CARD_FILE);
  return parseFusedCard((await read(file, dir)).toString('utf8'), file);
}

/** The stored tensors, checked against the card's hash. */
export async function readFusedWeights(dir: string, card: FusedCard): Promise<Record<string, StoredTensor>> {
  const file = join(dir, MODEL_WEIGHTS_FILE);
  return decodeFusedWeights(await read(file, dir), card, file);
}

/** The model in the engine's memory, ready to predict. */
export async function loadFusedModel(engine: Engine, dir: string): Promise<FusedModel & { card: FusedCard }> {
  const card = await readFusedCard(dir);
  const file = join(dir, MODEL_WEIGHTS_FILE);
  return { card, ...(await restoreFusedModel(engine, card, () => read(file, dir), file)) };
}

function read(file: string, dir: string): Promise<Buffer> {
  return readBytes(file, `model ${dir}: ${file}`, 'F3_MODEL_FORMAT');
}
