// [coordinator] What a search sees of its input: everything but the test part, whose labels are blanked. What cannot be seen
// cannot be chosen by.
import { createHash } from 'node:crypto';
import { VERSION } from '../../base/version.ts';
import type { Engine } from '../../core/engine/engine.ts';
import { F3Error } from '../../errors.ts';
import type { Joined } from '../join/bundle-join.ts';
import type { FusionInput } from '../join/fusion-input.ts';

/** An input that can be sent to a thread. Arrays in shared memory are not copied on their way. */
export interface SentInput extends Omit<FusionInput, 'joined' | 'adjacency'> {
  joined: Omit<Joined, 'embeddings' | 'present' | 'votes'>;
  /** [sample, owner, d] */
  embeddings: Float32Array;
  /** [sample, owner] */
  present: Float32Array;
  adjacency: Float64Array | undefined;
}

/** Fewer validation samples than this say little about which of two fits is better. */
const FEW = 50;

/** The input without its test part. Its tensors stay those of `input`. */
export function withoutTest(input: FusionInput): FusionInput {
  const { labels, split } = input;
  const known = labels.labels.slice();
  for (const row of split.test) known[row] = 0;
  return { ...input, labels: { ...labels, labels: known }, split: { ...split, test: new Uint32Array() } };
}

/** Refuses what cannot be searched, and says what makes a choice doubtful. */
export function checkSearchInput({ labels, split }: FusionInput, onWarning?: (message: string) => void): void {
  const { train, validation } = split;
  if (validation.length === 0 || train.length === 0) {
    const found = `${train.length} training and ${validation.length} validation samples`;
    throw new F3Error('F3_FUSE_SPLIT', `search: the split must have a training and a validation part, got ${found}`);
  }
  if (validation.length < FEW) {
    const reason = 'too few to tell fits apart that are nearly as good';
    onWarning?.(`search: the validation part has ${validation.length} samples, ${reason}`);
  }
  const seen = new Set(Array.from(validation, (row) => labels.labels[row]));
  const missing = labels.classes.filter((_, label) => !seen.has(label));
  if (missing.length > 0) {
    onWarning?.(
      `search: the validation part has no sample of ${missing.join(', ')}, so the choice knows nothing of it`,
    );
  }
}

/** A hash of what a search learns from: bundles, training and validation part with their labels, graph, version of f3. */
export function inputIdentity({ joined, labels, split, adjacency }: FusionInput): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([VERSION, labels.classes, joined.owners.map(({ owner, bundle }) => [owner, bundle])]));
  hash.update(joined.samples.join('\n'));
  for (const part of [split.train, split.validation]) {
    hash.update(part);
    hash.update(Int32Array.from(part, (row) => labels.labels[row]));
  }
  if (adjacency) hash.update(Float64Array.from(adjacency));
  return hash.digest('hex');
}

export function sendInput({ joined, adjacency, ...rest }: FusionInput): SentInput {
  const { embeddings, present, votes: _, ...about } = joined;
  return {
    ...rest,
    joined: about,
    embeddings: embeddings.data,
    present: present.data,
    adjacency: adjacency && Float64Array.from(adjacency),
  };
}

/** Copies the arrays into the engine's memory. */
export function receiveInput(engine: Engine, { joined, embeddings, present, ...rest }: SentInput): FusionInput {
  const [samples, owners] = [joined.samples.length, joined.owners.length];
  return {
    ...rest,
    joined: {
      ...joined,
      embeddings: engine.buffer([samples, owners, joined.width], embeddings),
      present: engine.buffer([samples, owners], present),
    },
  };
}
