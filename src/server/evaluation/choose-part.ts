// [coordinator] Chooses the samples of the validation part that a model is asked about again and again: all, or a fixed choice of
// many, so that a question is answered within a second.
import { sha256 } from '../../base/sha256.ts';
import { decodeLabels } from '../../exchange/labels/labels.ts';
import { splitIds } from '../../exchange/labels/split-sources.ts';
import type { FusedFacts } from '../../fuse/model/fused-model.ts';
import { unpackSplit } from '../training/plan-lists.ts';
import type { EvaluatedData } from './evaluation-data.ts';

/** Pairs of owners over all samples that one prediction of the part may take. */
const PAIRS = 40_000_000;
const [FEWEST, MOST] = [200, 5000];
/** A choice that leaves out fewer than this would tell about those few, by the difference to the scores of all. */
const LEAST_LEFT_OUT = 100;

export interface PartSamples {
  samples: string[];
  /** [sample] */
  labels: number[];
  pseudonyms: string | undefined;
  of: number;
  isWhole: boolean;
}

/** The same samples every time: the order is that of the hashes of their ids. */
export function choosePart(
  { labels: bytes, labelsName, classes, lists }: EvaluatedData,
  { owners, classes: known }: Pick<FusedFacts, 'owners' | 'classes'>,
): PartSamples {
  const set = decodeLabels(bytes, labelsName, classes ?? known);
  const numbers = new Map(set.samples.map((sample, i) => [sample, set.labels[i]]));
  const labelled = splitIds(unpackSplit(lists), set.samples).validation.filter((sample) => numbers.has(sample));
  const most = Math.min(MOST, Math.max(FEWEST, Math.floor(PAIRS / owners.length ** 2)));
  const isWhole = labelled.length - most < LEAST_LEFT_OUT;
  const samples = isWhole ? [...labelled] : byHash(labelled).slice(0, most);
  return {
    samples,
    labels: samples.map((sample) => numbers.get(sample) as number),
    pseudonyms: set.pseudonyms,
    of: labelled.length,
    isWhole,
  };
}

const byHash = (samples: readonly string[]): string[] =>
  samples
    .map((sample) => ({ sample, hash: sha256(sample) }))
    .sort((a, b) => (a.hash < b.hash ? -1 : 1))
    .map(({ sample }) => sample);
