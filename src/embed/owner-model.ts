// [owner] A trained local model on disk: weights as safetensors and a JSON card beside them, in the owner's folder.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../base/sha256.ts';
import { writeWholeFile } from '../base/whole-file.ts';
import type { Engine } from '../core/engine/engine.ts';
import { decodeSafetensors, encodeSafetensors, type StoredTensor } from '../core/safetensors.ts';
import { F3Error } from '../errors.ts';
import type { LocalModel, LocalModelKind } from './local-model.ts';
import { makeLocalModel } from './make-local-model.ts';
import type { Normalisation } from './normalise-windows.ts';
import type { OwnerSearchRecord } from './owner-search.ts';
import { answerInstead, type RoundedAnswers } from './rounded-answers.ts';
import type { BeforeShield, LocalTrainingConfig } from './train-local-model.ts';

export const MODEL_FORMAT = 'f3-local-model';
export const MODEL_VERSION = 1;

/** The choices of an owner. Two runs with the same options and data give the same bits. */
export interface OwnerTrainingOptions extends LocalTrainingConfig {
  model: LocalModelKind;
  /** Width d of an embedding, or of the layer before the bottleneck. */
  width: number;
  /** Numbers of a narrow last layer, which are the embedding then. By default there is none. */
  bottleneck?: number | undefined;
  /** Levels of the answer that leaves in the place of the embedding, see `RoundedAnswers`. By default the embedding leaves. */
  answers?: number | undefined;
  /** With `answers`: neighbouring levels are merged until at most this share of the readings is recovered from an answer. By default none are. */
  maxRecovery?: number | undefined;
  normalisation: 'none' | 'z-score';
  /** Seed of a head that all owners share and nobody trains (row J of Table 2). */
  tiedHead?: number | undefined;
}

/** What stands in an owner's `model.json`. */
export interface ModelCard {
  format: typeof MODEL_FORMAT;
  version: typeof MODEL_VERSION;
  owner: string;
  classes: string[];
  length: number;
  variates: string[];
  options: OwnerTrainingOptions;
  /** True for a model that was trained over every owner's data in turn (row A of Table 2). */
  common?: boolean;
  normalisation?: Normalisation;
  /** How the answers are rounded that leave in the place of embeddings. */
  answers?: RoundedAnswers;
  /** SHA-256 of the owner's windows and labels. */
  data: string;
  /** SHA-256 of the weights file. */
  weights: string;
  /** `reconstructionError` is known where the objective was label+reconstruction, `left` under a shield: see `LocalFit`. */
  scores: {
    trainLoss: number;
    validationAccuracy: number;
    testAccuracy: number;
    reconstructionError?: number;
    left?: number;
  };
  /** What was tried before these options were chosen, where they were chosen on the owner's validation part. */
  search?: OwnerSearchRecord;
  epochs: number;
  /** What the model had learned when its shield began, where there is one; `epochs` counts these, too. */
  beforeShield?: BeforeShield;
  bestEpoch: number;
  seconds: number;
}

/** Names what a model sends: SHA-256 of its weights, and of how its answers are rounded where answers leave in the place of embeddings. */
export function modelHash({ weights, answers }: Pick<ModelCard, 'weights' | 'answers'>): string {
  return answers ? sha256(JSON.stringify([weights, answers])) : weights;
}

const CARD = 'model.json';
const WEIGHTS = 'model.safetensors';

/** Writes weights and card. The card is written last: it says that training has finished. */
export async function saveOwnerModel(
  folder: string,
  model: LocalModel,
  card: Omit<ModelCard, 'weights'>,
): Promise<ModelCard> {
  const tensors: Record<string, StoredTensor> = {};
  for (const [name, tensor] of Object.entries(model.parameters)) {
    tensors[name] = { shape: [...tensor.shape], values: tensor.data.slice() };
  }
  const bytes = encodeSafetensors({ tensors, metadata: { format: MODEL_FORMAT, owner: card.owner } });
  const whole: ModelCard = { ...card, weights: sha256(bytes) };
  writeWholeFile(join(folder, WEIGHTS), bytes);
  writeWholeFile(join(folder, CARD), `${JSON.stringify(whole, null, 2)}\n`);
  return whole;
}

/** The card; undefined when this owner has not finished training. */
export async function readModelCard(folder: string): Promise<ModelCard | undefined> {
  const file = join(folder, CARD);
  if (!existsSync(file)) return undefined;
  const card = parseCard(await readFile(file, 'utf8'));
  if (card?.format === MODEL_FORMAT && card.version === MODEL_VERSION) return card;
  const found = card ? `${card.format} ${card.version}` : 'no JSON object';
  throw new F3Error('F3_MODEL_FORMAT', `${file}: must be ${MODEL_FORMAT} ${MODEL_VERSION}, got ${found}`);
}

/** Whether the card's weights lie beside it: two trainings at once, or one that was killed, may leave those of another card. */
export async function hasOwnWeights(folder: string, card: ModelCard): Promise<boolean> {
  const bytes = await readFile(join(folder, WEIGHTS)).catch(() => undefined);
  return bytes !== undefined && sha256(bytes) === card.weights;
}

/** Loads the frozen model into the engine's memory. */
export async function loadOwnerModel(engine: Engine, folder: string, card: ModelCard): Promise<LocalModel> {
  const file = join(folder, WEIGHTS);
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new F3Error('F3_MODEL_FORMAT', `${file}: must be readable beside its card`, { cause });
  });
  if (sha256(bytes) !== card.weights) {
    throw new F3Error('F3_MODEL_FORMAT', `${file}: SHA-256 must be the card's ${card.weights}, got ${sha256(bytes)}`);
  }
  const { tensors } = decodeSafetensors(bytes, file);
  const { options, classes, length, variates } = card;
  const { model: kind, width, bottleneck, seed, tiedHead } = options;
  const shape = { length, variates: variates.length };
  const architecture = { kind, width, bottleneck, classes: classes.length, seed, tiedHead };
  const model = makeLocalModel(engine, shape, architecture);
  for (const [name, tensor] of Object.entries(model.parameters)) {
    const stored = tensors[name];
    if (stored?.values.length !== tensor.size) {
      const found = stored ? `[${stored.shape.join(', ')}]` : 'none';
      throw new F3Error('F3_MODEL_FORMAT', `${file}: ${name} must be [${tensor.shape.join(', ')}], got ${found}`);
    }
    tensor.data.set(stored.values);
  }
  return card.answers ? answerInstead(model, card.answers) : model;
}

function parseCard(text: string): ModelCard | undefined {
  try {
    const card: unknown = JSON.parse(text);
    return typeof card === 'object' && card !== null ? (card as ModelCard) : undefined;
  } catch {
    return undefined;
  }
}
