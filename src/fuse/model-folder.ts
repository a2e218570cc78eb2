// [coordinator] A fused model on disk: a folder with weights as safetensors and a JSON card, written whole or not at all.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from '../core/engine.ts';
import { decodeSafetensors, encodeSafetensors, type StoredTensor } from '../core/safetensors.ts';
import { F3Error } from '../errors.ts';
import { VERSION } from '../version.ts';
import { type WholeDirectoryOptions, writeWholeDirectory } from '../whole-directory.ts';
import type { FusedFacts, FusedModel } from './fused-model.ts';
import { isVoteMethod } from './fusion-config.ts';
import { makeFusionModel } from './make-fusion-model.ts';
import type { VoteRule } from './vote-rule.ts';

export const FUSED_FORMAT = 'f3-fused-model';
export const FUSED_VERSION = 1;
const CARD = 'model.json';
const WEIGHTS = 'model.safetensors';
/** Without these a card tells nothing. */
const NEEDED = ['config', 'classes', 'owners', 'samples', 'history', 'validation', 'test'] as const;

export interface FusedCard extends FusedFacts {
  format: typeof FUSED_FORMAT;
  version: typeof FUSED_VERSION;
  /** Of f3 */
  code: string;
  /** ISO 8601 */
  created: string;
  /** SHA-256 of the weights file */
  weights: string;
  rule?: VoteRule;
}

/** For `checkTarget` before training, and for writing after it. */
export const modelTarget = (overwrite: boolean): WholeDirectoryOptions => ({ overwrite, mark: CARD });

export function saveFusedModel(
  dir: string,
  model: FusedModel,
  { overwrite = false, created = new Date() }: { overwrite?: boolean; created?: Date } = {},
): FusedCard {
  const tensors: Record<string, StoredTensor> = {};
  for (const [name, tensor] of Object.entries(model.network?.parameters ?? {})) {
    tensors[name] = { shape: [...tensor.shape], values: tensor.data.slice() };
  }
  const { adjacency, owners } = model.network?.shape ?? { owners: 0 };
  if (adjacency) tensors.adjacency = { shape: [owners, owners], values: Float32Array.from(adjacency) };
  const bytes = encodeSafetensors({ tensors, metadata: { format: FUSED_FORMAT } });
  const card: FusedCard = {
    ...{ format: FUSED_FORMAT, version: FUSED_VERSION, code: VERSION, created: created.toISOString() },
    weights: sha256(bytes),
    ...model.facts,
    ...(model.rule && { rule: model.rule }),
  };
  const files = { [WEIGHTS]: bytes, [CARD]: `${JSON.stringify(card, null, 2)}\n` };
  writeWholeDirectory(dir, files, modelTarget(overwrite));
  return card;
}

export async function readFusedCard(dir: string): Promise<FusedCard> {
  const file = join(dir, CARD);
  const text = await read(file, dir);
  const card = parseCard(text.toString('utf8'));
  if (card?.format === FUSED_FORMAT && card.version === FUSED_VERSION) {
    const missing = NEEDED.find((field) => typeof card[field] !== 'object');
    if (missing) throw modelError(`${file}: must have ${missing}, got none`);
    return card;
  }
  const found = card ? `${card.format} ${card.version}` : 'no JSON object';
  throw modelError(`${file}: must be ${FUSED_FORMAT} ${FUSED_VERSION}, got ${found}`);
}

/** The stored tensors, checked against the card's hash. */
export async function readFusedWeights(dir: string, card: FusedCard): Promise<Record<string, StoredTensor>> {
  const file = join(dir, WEIGHTS);
  const bytes = await read(file, dir);
  const hash = sha256(bytes);
  if (hash !== card.weights) throw modelError(`${file}: SHA-256 must be the card's ${card.weights}, got ${hash}`);
  return decodeSafetensors(bytes, file).tensors;
}

/** The model in the engine's memory, ready to predict. */
export async function loadFusedModel(engine: Engine, dir: string): Promise<FusedModel & { card: FusedCard }> {
  const card = await readFusedCard(dir);
  const { rule, config, owners, classes } = card;
  if (isVoteMethod(config.method)) {
    if (rule) return { card, facts: card, rule };
    throw modelError(`${join(dir, CARD)}: method ${config.method} must have a rule, got none`);
  }
  const tensors = await readFusedWeights(dir, card);
  const width = Math.max(...owners.map((owner) => owner.width));
  const adjacency = tensors.adjacency?.values;
  const shape = {
    ...{ owners: owners.length, width, classes: classes.length },
    ...(config.method === 'consensus' && tensors.W0 && { aligned: tensors.W0.shape[0] }),
    ...(adjacency && { adjacency }),
  };
  const network = makeFusionModel(engine, config, shape);
  for (const [name, tensor] of Object.entries(network.parameters)) {
    const stored = tensors[name];
    if (stored?.shape.join() === tensor.shape.join()) tensor.data.set(stored.values);
    else {
      const found = stored ? `[${stored.shape.join(', ')}]` : 'none';
      throw modelError(`${join(dir, WEIGHTS)}: ${name} must be [${tensor.shape.join(', ')}], got ${found}`);
    }
  }
  return { card, facts: card, network };
}

async function read(file: string, dir: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason =
      { ENOENT: 'no such file', ENOTDIR: 'no such folder', EACCES: 'no permission' }[code ?? ''] ?? message;
    throw new F3Error('F3_MODEL_FORMAT', `model ${dir}: ${file} must be readable, got ${reason}`, { cause });
  }
}

function parseCard(text: string): FusedCard | undefined {
  try {
    const card: unknown = JSON.parse(text);
    return typeof card === 'object' && card !== null ? (card as FusedCard) : undefined;
  } catch {
    return undefined;
  }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const modelError = (message: string): F3Error => new F3Error('F3_MODEL_FORMAT', message);
