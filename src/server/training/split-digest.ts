// [coordinator] A split without its samples: what consent, quotas and the audit log need of it.
import { sha256 } from '../../base/sha256.ts';
import { PARTS, type Part } from '../../exchange/labels/sample-parts.ts';
import type { SplitChoice, SplitIds } from '../../exchange/labels/split-sources.ts';

export interface SplitDigest {
  /** How many samples each part names. */
  sizes: Record<Part, number>;
  /** Over all parts: the same parts in any order have the same. */
  sha256: string;
}

/** The seed of a random split, or the digest of one that names its samples. */
export type SplitFacts = number | SplitDigest;

export const splitFacts = (split: SplitChoice): SplitFacts => (typeof split === 'number' ? split : digestSplit(split));

export function digestSplit(split: SplitIds): SplitDigest {
  const sizes = { train: split.train.length, validation: split.validation.length, test: split.test.length };
  return { sizes, sha256: sha256(JSON.stringify(PARTS.map((part) => split[part].toSorted()))) };
}
