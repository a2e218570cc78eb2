// [coordinator] Which rows train, validate and test: a split by sample id, put on the samples that are labelled and seen.
import { F3Error } from '../../errors.ts';
import type { LabelSet } from '../../exchange/labels/labels.ts';
import type { Part } from '../../exchange/labels/sample-parts.ts';
import type { SplitIds } from '../../exchange/labels/split-sources.ts';
import type { Joined } from './bundle-join.ts';

/** Rows of each part of a split. */
export interface PlacedSplit {
  rows: Record<Part, Uint32Array>;
  /** Samples of the split without a label or without any owner. */
  unused: number;
}

/** `joined` must hold the samples of `labels`, in their order. */
export function placeSplit(split: SplitIds, joined: Joined, { samples, labels, classes }: LabelSet): PlacedSplit {
  const positions = new Map(samples.map((sample, row) => [sample, row]));
  const seen = seenSamples(joined);
  const partOf = new Map<string, Part>();
  let unused = 0;
  const place = (part: Part): Uint32Array => {
    const rows = split[part].flatMap((sample) => {
      const other = partOf.get(sample);
      if (other) throw splitError(`split: sample ${sample} must be in one part once, got ${other} and ${part}`);
      partOf.set(sample, part);
      const row = positions.get(sample);
      if (row !== undefined && seen[row]) return [row];
      unused++;
      return [];
    });
    if (rows.length > 0) return Uint32Array.from(rows);
    const found = split[part].length === 0 ? 'none' : `${split[part].length} without label or owner`;
    throw splitError(`split: part ${part} must have samples that are labelled and that an owner saw, got ${found}`);
  };
  const rows = { train: place('train'), validation: place('validation'), test: place('test') };
  const trained = new Set(Array.from(rows.train, (row) => labels[row]));
  if (trained.size < 2) {
    const only = [...trained].map((label) => classes[label]).join();
    throw new F3Error(
      'F3_FUSE_CLASSES',
      `split: part train must have samples of two classes at least, got ${only} only`,
    );
  }
  return { rows, unused };
}

/** Per sample 1 where at least one owner saw it. */
export function seenSamples({ samples, owners, present }: Joined): Uint8Array {
  const values = present.data;
  return Uint8Array.from(samples, (_, row) =>
    values.subarray(row * owners.length, (row + 1) * owners.length).includes(1) ? 1 : 0,
  );
}

const splitError = (message: string): F3Error => new F3Error('F3_FUSE_SPLIT', message);
