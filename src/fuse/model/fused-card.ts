// [coordinator] A fused model as bytes: weights as safetensors, and a card that says what they are. Folders and databases keep both.

import { sha256 } from '../../base/sha256.ts';
import { VERSION } from '../../base/version.ts';
import type { Engine } from '../../core/engine/engine.ts';
import { decodeSafetensors, encodeSafetensors, type StoredTensor } from '../../core/safetensors.ts';
import { F3Error } from '../../errors.ts';
import { BoostedTrees } from '../boosting/boosted-trees.ts';
import { type FusionConfig, isVoteMethod, resolveFusionConfig } from '../fusion-config.ts';
import type { EnsembleModel, FusedFacts, FusedModel, SingleModel } from './fused-model.ts';
import type { FusionShape } from './fusion-model.ts';
import { type FusionNetwork, makeFusionModel } from './make-fusion-model.ts';
import type { VoteRule } from './vote-rule.ts';

export const FUSED_FORMAT = 'f3-fused-model';
export const FUSED_VERSION = 1;
/** Graphs that lie beside the weights in their file. */
const GRAPHS = ['adjacency', 'neighbours'] as const;
/** Without these a card tells nothing. */
const NEEDED = ['config', 'classes', 'owners', 'samples', 'history', 'validation', 'test'] as const;

/** What stands in a model's `model.json`: its facts, and what belongs to the files. */
export interface FusedCard extends FusedFacts {
  format: typeof FUSED_FORMAT;
  version: typeof FUSED_VERSION;
  /** Version of f3 that wrote this model. */
  code: string;
  /** ISO 8601 */
  created: string;
  /** SHA-256 of the weights file */
  weights: string;
  /** What a model that counts votes has learned. */
  rule?: VoteRule;
}

/** A model as bytes: weights (safetensors) and the card that says what they are. */
export interface EncodedModel {
  card: FusedCard;
  weights: Uint8Array;
}

export function encodeFusedModel(model: FusedModel, created = new Date()): EncodedModel {
  const tensors = tensorsOf(model);
  const weights = encodeSafetensors({ tensors, metadata: { format: FUSED_FORMAT } });
  const hash = sha256(weights);
  const card: FusedCard = {
    ...{ format: FUSED_FORMAT, version: FUSED_VERSION, code: VERSION, created: created.toISOString(), weights: hash },
    ...model.facts,
    ...(model.kind === 'voting' && { rule: model.rule }),
  };
  // Facts that were read from a card bring its hash along; a mixture of such models has weights of its own.
  card.weights = hash;
  return { card, weights };
}

function tensorsOf(model: FusedModel): Record<string, StoredTensor> {
  if (model.kind === 'ensemble') return ensembleTensors(model);
  if (model.kind === 'boosted') return model.trees.tensors();
  return model.kind === 'learned' ? networkTensors(model.network) : {};
}

/** Tensors of member m have names that begin with m/. */
function ensembleTensors({ members }: EnsembleModel): Record<string, StoredTensor> {
  const named = members.flatMap((member, m) =>
    Object.entries(tensorsOf(member)).map(([name, tensor]) => [`${m}/${name}`, tensor] as const),
  );
  return Object.fromEntries(named);
}

/** What was learned, the graphs that the model was given or froze, and the edges of its bins. */
function networkTensors({ parameters, shape }: FusionNetwork): Record<string, StoredTensor> {
  const tensors: Record<string, StoredTensor> = {};
  for (const [name, tensor] of Object.entries(parameters)) {
    tensors[name] = { shape: [...tensor.shape], values: tensor.data.slice() };
  }
  for (const name of GRAPHS) {
    const values = shape[name];
    if (values) tensors[name] = { shape: [shape.owners, shape.owners], values: Float32Array.from(values) };
  }
  const { owners, width, binEdges } = shape;
  if (binEdges) {
    const edges = binEdges.length / (owners * width);
    tensors.binEdges = { shape: [owners, width, edges], values: Float32Array.from(binEdges) };
  }
  return tensors;
}

/** What a card says of the model, without what it says of the files. */
export function plainFacts(card: FusedCard): FusedFacts {
  const { format: _, version: __, code: ___, created: ____, weights: _____, ...facts } = card;
  return facts;
}

/** `name` is the file's, for messages. */
export function parseFusedCard(text: string, name: string): FusedCard {
  const card = parseObject(text);
  if (card?.format === FUSED_FORMAT && card.version === FUSED_VERSION) {
    const missing = NEEDED.find((field) => typeof card[field] !== 'object');
    if (missing) throw modelError(`${name}: must have ${missing}, got none`);
    checkCard(card, name);
    if (card.ensemble) checkEnsemble(card.ensemble, name);
    return { ...card, config: wholeConfig(card.config, name) };
  }
  const found = card ? `${card.format} ${card.version}` : 'no JSON object';
  throw modelError(`${name}: must be ${FUSED_FORMAT} ${FUSED_VERSION}, got ${found}`);
}

/** What a model is made from: a card that was edited by hand is refused here, not where it first does not fit. */
function checkCard({ classes, owners, decision }: FusedCard, name: string): void {
  const isNames = Array.isArray(classes) && classes.every((label) => typeof label === 'string');
  if (!isNames || classes.length < 2) {
    throw modelError(`${name}: classes must be a list of at least two names, got ${JSON.stringify(classes)}`);
  }
  const isOwner = (entry: FusedFacts['owners'][number] | null) =>
    typeof entry?.owner === 'string' && Number.isInteger(entry.width) && entry.width >= 0;
  if (!Array.isArray(owners) || !owners.every(isOwner)) {
    throw modelError(`${name}: owners must be a list with owner and width, got another`);
  }
  const isPerClass = (numbers: unknown) =>
    Array.isArray(numbers) && numbers.length === classes.length && numbers.every(Number.isFinite);
  if (decision && !(isPerClass(decision.gains) && isPerClass(decision.costs))) {
    throw modelError(`${name}: decision must have gains and costs, a number per class each, got another`);
  }
}

function checkEnsemble({ mixture, members }: NonNullable<FusedFacts['ensemble']>, name: string): void {
  const fits = Array.isArray(members) && members.length > 0 && mixture?.weights?.length === members.length;
  if (fits && mixture.weights.every(Number.isFinite) && mixture.temperature > 0) return;
  throw modelError(`${name}: an ensemble must have a weight for each member and a temperature, got another`);
}

/** Fields that came into being after the model was written are as the paper has them, which is what the model did. */
function wholeConfig(config: unknown, name: string): FusionConfig {
  const { method } = config as Partial<FusionConfig>;
  if (method === undefined) throw modelError(`${name}: config must name a method, got none`);
  try {
    return resolveFusionConfig({ ...(config as Partial<FusionConfig>), preset: 'paper' });
  } catch (cause) {
    throw modelError(`${name}: config, ${(cause as Error).message}`);
  }
}

/** The stored tensors, checked against the card's hash. */
export function decodeFusedWeights(bytes: Uint8Array, card: FusedCard, name: string): Record<string, StoredTensor> {
  const hash = sha256(bytes);
  if (hash !== card.weights) throw modelError(`${name}: SHA-256 must be the card's ${card.weights}, got ${hash}`);
  return decodeSafetensors(bytes, name).tensors;
}

/** The model in the engine's memory, ready to predict. `weights` is only called for what has weights. */
export async function restoreFusedModel(
  engine: Engine,
  card: FusedCard,
  weights: () => Promise<Uint8Array>,
  name: string,
): Promise<FusedModel> {
  if (card.onShares) {
    const rule = 'must have its weights here to be used without entities';
    throw new F3Error('F3_MODEL_SERVED', `${name}: ${rule}, got a model whose weights lie in shares with them`);
  }
  if (!card.ensemble && isVoteMethod(card.config.method)) return restoreMember(engine, card, {}, name);
  const tensors = decodeFusedWeights(await weights(), card, name);
  if (!card.ensemble) return restoreMember(engine, card, tensors, name);
  const { mixture, members } = card.ensemble;
  const restored = members.map((facts, m) => {
    const own = Object.entries(tensors).filter(([key]) => key.startsWith(`${m}/`));
    const named = Object.fromEntries(own.map(([key, tensor]) => [key.slice(key.indexOf('/') + 1), tensor]));
    const whole = { ...facts, config: wholeConfig(facts.config, name), owners: card.owners, classes: card.classes };
    return restoreMember(engine, whole, named, `${name}, member ${m}`);
  });
  return { kind: 'ensemble', facts: card, members: restored, mixture };
}

function restoreMember(
  engine: Engine,
  facts: FusedFacts & { rule?: VoteRule },
  tensors: Readonly<Record<string, StoredTensor>>,
  name: string,
): SingleModel {
  const { rule, config, owners, classes } = facts;
  if (isVoteMethod(config.method)) {
    if (rule) return { kind: 'voting', facts, rule };
    throw modelError(`${name}: method ${config.method} must have a rule, got none`);
  }
  const width = Math.max(...owners.map((owner) => owner.width));
  if (config.method === 'boosting') {
    return { kind: 'boosted', facts, trees: storedTrees(tensors, classes.length, owners.length * width, name) };
  }
  const shape: FusionShape = { owners: owners.length, width, classes: classes.length };
  if (config.method === 'consensus' && tensors.W0) shape.aligned = tensors.W0.shape[0];
  for (const graph of GRAPHS) if (tensors[graph]) shape[graph] = tensors[graph].values;
  if (config.encoding === 'quantiles') {
    shape.binEdges = storedValues(tensors, 'binEdges', [owners.length, width, config.bins + 1], name);
  }
  const network = makeFusionModel(engine, config, shape);
  for (const [parameter, tensor] of Object.entries(network.parameters)) {
    tensor.data.set(storedValues(tensors, parameter, tensor.shape, name));
  }
  return { kind: 'learned', facts, network };
}

function storedTrees(
  tensors: Readonly<Record<string, StoredTensor>>,
  classes: number,
  features: number,
  name: string,
): BoostedTrees {
  try {
    return BoostedTrees.from(tensors, classes, features);
  } catch (cause) {
    throw modelError(`${name}: ${(cause as Error).message}`);
  }
}

/** A tensor of the weights file `name`, of the shape that the card asks for. */
function storedValues(
  tensors: Readonly<Record<string, StoredTensor>>,
  tensor: string,
  shape: readonly number[],
  name: string,
): Float32Array {
  const stored = tensors[tensor];
  if (stored?.shape.join() === shape.join()) return stored.values;
  const found = stored ? `[${stored.shape.join(', ')}]` : 'none';
  throw modelError(`${name}: ${tensor} must be [${shape.join(', ')}], got ${found}`);
}

function parseObject(text: string): FusedCard | undefined {
  try {
    const card: unknown = JSON.parse(text);
    return typeof card === 'object' && card !== null ? (card as FusedCard) : undefined;
  } catch {
    return undefined;
  }
}

const modelError = (message: string): F3Error => new F3Error('F3_MODEL_FORMAT', message);
