// [coordinator] From sample ids, labels and a split to a model whose weights lie with the entities: training and scores on shares.
import { sha256 } from '../../base/sha256.ts';
import { VERSION } from '../../base/version.ts';
import type { Engine } from '../../core/engine/engine.ts';
import { encodeSafetensors, type StoredTensor } from '../../core/safetensors.ts';
import { softmaxRows } from '../../core/softmax-rows.ts';
import { F3Error } from '../../errors.ts';
import { factsOf } from '../fuse-owners.ts';
import type { FusionConfig } from '../fusion-config.ts';
import type { FusionInput } from '../join/fusion-input.ts';
import { type EncodedModel, FUSED_FORMAT, FUSED_VERSION, type FusedCard } from '../model/fused-card.ts';
import type { FusedFacts } from '../model/fused-model.ts';
import { fitDecisionRule } from '../scores/decision-rule.ts';
import { scores } from '../scores/scores.ts';
import type { EntityLink } from './entity-link.ts';
import { predictFromShares } from './predict-on-shares.ts';
import { predictionGraphs } from './prediction-graphs.ts';
import { type SharesTraining, type SharesTrainingOptions, trainOnShares } from './train-on-shares.ts';

export interface SharesFusion {
  /** Its embeddings are row numbers [sample, owner, 1], since nobody here has any. */
  input: FusionInput;
  /** Numbers that each owner has shared of a sample: the width of its embeddings, or of their codes. */
  widths: readonly number[];
  /** Ids of the owners' codes, in their order; none where they shared embeddings. */
  codings?: readonly string[] | undefined;
  config: FusionConfig;
  /** Fingerprint of the charter. */
  charter: string;
}

/** [owner, sample]: the row of each sample in the owner's shares, −1 where it did not see it; as bytes, low byte first. */
export function sharedRows({ joined }: FusionInput): Uint8Array {
  const [n, samples] = [joined.owners.length, joined.samples.length];
  const [rows, seen] = [joined.embeddings.data, joined.present.data];
  const places = Int32Array.from({ length: n * samples }, (_, at) => {
    const cell = (at % samples) * n + Math.floor(at / samples);
    return seen[cell] === 1 ? rows[cell] : -1;
  });
  return new Uint8Array(places.buffer);
}

/** Undefined if it was stopped. */
export async function fuseOnShares(
  engine: Engine,
  link: EntityLink,
  { input, widths, codings, config, charter }: SharesFusion,
  options: SharesTrainingOptions,
): Promise<EncodedModel | undefined> {
  const start = performance.now();
  const { joined, labels, split, adjacency } = input;
  requireOneWidth(config, input, widths);
  const present = joined.isComplete ? undefined : joined.present.data;
  const shape = {
    owners: widths.length,
    width: Math.max(...widths) / (config.encoding === 'quantiles' ? config.bins : 1),
    classes: labels.classes.length,
    ...(adjacency && { adjacency: Float32Array.from(adjacency) }),
  };
  const data = { labels: labels.labels, split, present };
  const trained = await trainOnShares(engine, link, config, shape, data, options);
  if (options.signal?.aborted) return undefined;
  const graphs = predictionGraphs(engine, config, { ...shape, theta: trained.theta });
  const probabilitiesOf = async (part: 'validation' | 'test') => {
    const logits = await predictFromShares(link, { shape: trained.shape, graphs, rows: split[part], present });
    return softmaxRows(logits, shape.classes);
  };
  const [onValidation, onTest] = [await probabilitiesOf('validation'), await probabilitiesOf('test')];
  const decision = config.decision === 'f1' ? fitDecisionRule(onValidation, shape.classes) : undefined;
  const scoresOf = (probabilities: Float64Array, rows: Uint32Array) => {
    const truth = Int32Array.from(rows, (row) => labels.labels[row]);
    return scores(probabilities, truth, shape.classes, decision);
  };
  const { id, theta: _, shape: computed, steps, ...training } = trained;
  const facts: FusedFacts = {
    ...factsOf(input, config),
    ...training,
    owners: joined.owners.map((owner, i) => ({ ...owner, width: widths[i] })),
    ...(decision && { decision }),
    validation: scoresOf(onValidation, split.validation),
    test: scoresOf(onTest, split.test),
    seconds: (performance.now() - start) / 1000,
    onShares: {
      charter,
      training: id,
      steps,
      shape: computed,
      ...(codings && { codings: Object.fromEntries(joined.owners.map(({ owner }, i) => [owner, codings[i]])) }),
    },
  };
  return encoded(facts, trained, shape);
}

/** What the coordinator keeps: the card, and the graph. */
function encoded(
  facts: FusedFacts,
  { theta }: SharesTraining,
  { owners, adjacency }: { owners: number; adjacency?: Float32Array },
): EncodedModel {
  const tensors: Record<string, StoredTensor> = {};
  if (theta) tensors.theta = { shape: [owners, owners], values: theta };
  if (adjacency) tensors.adjacency = { shape: [owners, owners], values: adjacency };
  const weights = encodeSafetensors({ tensors, metadata: { format: FUSED_FORMAT } });
  const card: FusedCard = {
    format: FUSED_FORMAT,
    version: FUSED_VERSION,
    code: VERSION,
    created: new Date().toISOString(),
    weights: sha256(weights),
    ...facts,
  };
  return { card, weights };
}

function requireOneWidth({ alignment }: FusionConfig, { joined }: FusionInput, widths: readonly number[]): void {
  const odd = widths.findIndex((width) => width !== widths[0]);
  if (odd < 0 || alignment === 'soft') return;
  const found = `${widths[0]} from ${joined.owners[0].owner}, ${widths[odd]} from ${joined.owners[odd].owner}`;
  throw new F3Error('F3_FUSE_WIDTH', `owners: widths must be equal unless alignment is soft, got ${found}`);
}
