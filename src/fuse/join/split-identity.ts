// [coordinator] Which split a model was made with, and what it was validated on, kept as hashes: they tell splits apart and name
// no sample.
import { sha256 } from '../../base/sha256.ts';
import type { LabelSet } from '../../exchange/labels/labels.ts';
import { PARTS, type Part } from '../../exchange/labels/sample-parts.ts';
import { type SplitChoice, splitIds } from '../../exchange/labels/split-sources.ts';

/** Which split a model was made with. It names no sample. */
export interface SplitIdentity {
  /** The seed, where the split was random. */
  seed?: number;
  /** SHA-256 of the sample ids of each part, whatever their order. */
  sha256: string;
}

/** Which split that is, as a hash that names no sample. */
export function splitIdentity(split: SplitChoice, samples: readonly string[]): SplitIdentity {
  const ids = splitIds(split, samples);
  const hash = sha256(JSON.stringify(PARTS.map((part) => ids[part].toSorted())));
  return typeof split === 'number' ? { seed: split, sha256: hash } : { sha256: hash };
}

export const describeSplit = ({ seed, sha256: hash }: SplitIdentity): string =>
  seed === undefined ? `parts with SHA-256 ${hash.slice(0, 12)}` : `seed ${seed}`;

/**
 * SHA-256 of the validation samples that count, with their labels. Scores on the validation part can be compared between
 * models that have the same one, and between no others.
 */
export function validationIdentity(
  { samples, labels, classes }: LabelSet,
  { validation }: Record<Part, Uint32Array>,
): string {
  const labelled = Array.from(validation, (row): [string, number] => [samples[row], labels[row]]);
  return sha256(JSON.stringify([classes, labelled.sort(([a], [b]) => (a < b ? -1 : 1))]));
}
