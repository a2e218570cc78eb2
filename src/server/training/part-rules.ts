// [coordinator] What the thread of a training checks of its parts before it learns, and which samples it says they have.
import { createHash } from 'node:crypto';
import { F3Error } from '../../errors.ts';
import type { LabelRules } from '../../exchange/label-access.ts';
import { PARTS, type Part } from '../../exchange/labels/sample-parts.ts';
import type { FusionInput } from '../../fuse/join/fusion-input.ts';
import { ID_BYTES } from '../../storage/scored-parts.ts';

export type PartRules = Pick<LabelRules, 'smallestPart' | 'smallestClass'>;

/** Hashed ids of the samples of each part, in ascending order. */
export type PartIds = Record<Part, Uint8Array<ArrayBuffer>>;

/** Whoever reads the refusal learns that some part is too small or nearly of one class, and neither which nor by how much. */
export function requirePartRules({ labels, split }: FusionInput, { smallestPart, smallestClass }: PartRules): void {
  for (const part of PARTS) {
    const counts = new Int32Array(labels.classes.length);
    for (const row of split[part]) counts[labels.labels[row]]++;
    const rest = split[part].length - counts.reduce((most, count) => Math.max(most, count), 0);
    if (split[part].length < smallestPart || rest < smallestClass) throw partsRefusal({ smallestPart, smallestClass });
  }
}

export function partsRefusal({ smallestPart, smallestClass }: PartRules): F3Error {
  const rule = `at least ${smallestPart} samples that are labelled and that an owner saw, and ${smallestClass} beside the most frequent class`;
  return new F3Error('F3_LABELS_PART', `split: every part must have ${rule}, got fewer in one of them`);
}

/** The beginnings of the hashes of sample ids, in ascending order. */
export function hashedIds(samples: readonly string[]): Uint8Array<ArrayBuffer> {
  const numbers = BigUint64Array.from(samples, (sample) =>
    createHash('sha256').update(sample).digest().readBigUInt64LE(),
  );
  return new Uint8Array(numbers.sort().buffer, 0, numbers.length * ID_BYTES);
}

export function partIds({ joined, split }: FusionInput): PartIds {
  const of = (part: Part) => hashedIds(Array.from(split[part], (row) => joined.samples[row]));
  return { train: of('train'), validation: of('validation'), test: of('test') };
}
