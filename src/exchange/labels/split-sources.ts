// [coordinator] A split in any form that a caller may have: the seed of a random one, a file, or the ids of each part.
import { readText } from '../../base/read-file.ts';
import { F3Error } from '../../errors.ts';
import { canonicalSampleIds } from '../bundle/canonical-time.ts';
import { PARTS, type Part, randomSplit } from './sample-parts.ts';
import { parseSplitFile } from './split.ts';

/** Sample ids of each part. */
export type SplitIds = Readonly<Record<Part, readonly string[]>>;

/** The seed of a random split, or the ids of each part. */
export type SplitChoice = number | SplitIds;

/** A whole number is the seed of a random split into 70, 10 and 20 %; a text is a path (JSON or CSV). */
export type SplitSource = string | SplitChoice;

/** `samples` are those that have labels, in their order. */
export async function readSplit(source: SplitSource, samples: readonly string[]): Promise<SplitChoice> {
  if (typeof source === 'string') return parseSplitFile(await readText(source), source, samples);
  // JavaScript may leave it out, and nothing would be trained then.
  if (typeof source === 'number' || (typeof source === 'object' && source !== null)) return source;
  throw splitError(`must be a seed, a path, or the ids of each part, got ${String(source)}`);
}

/** `samples` are those that have labels, in their order; a random split is drawn from them. */
export function splitIds(source: SplitChoice, samples: readonly string[]): SplitIds {
  if (typeof source === 'number') {
    if (Number.isSafeInteger(source) && source >= 0) return randomSplit(samples, source);
    throw splitError(`a seed must be a whole number of at least 0, got ${source}`);
  }
  for (const part of PARTS) {
    const ids: unknown = source?.[part];
    if (Array.isArray(ids) && ids.every((id) => typeof id === 'string')) continue;
    throw splitError(`part ${part} must be a list of sample ids, got ${JSON.stringify(ids)?.slice(0, 80) ?? 'none'}`);
  }
  const { train, validation, test } = source;
  const [trainIds, validationIds, testIds] = [train, validation, test].map(canonicalSampleIds);
  return { train: trainIds, validation: validationIds, test: testIds };
}

const splitError = (message: string): F3Error => new F3Error('F3_FUSE_SPLIT', `split: ${message}`);
