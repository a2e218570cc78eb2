// [owner] Bundles, labels and splits under pseudonyms. Rows are sorted by pseudonym, because their order would tell the order in time.
import type { Bundle } from '../../exchange/bundle/bundle.ts';
import type { LabelSet } from '../../exchange/labels/labels.ts';
import type { Split } from '../../exchange/labels/split.ts';

/** A pseudonym per row, and the key they were made with. */
export interface PseudonymousRows {
  names: readonly string[];
  publicKey: string;
}

/** The same bundle with pseudonyms for ids. */
export function pseudonymousBundle(bundle: Bundle, { names, publicKey }: PseudonymousRows): Bundle {
  const order = sortedOrder(names);
  const { width, embeddings, classes = 0, probabilities } = bundle;
  return {
    ...bundle,
    samples: order.map((row) => names[row]),
    sampleType: 'text',
    embeddings: reorder(embeddings, width, order),
    ...(probabilities && { probabilities: reorder(probabilities, classes, order) }),
    pseudonyms: publicKey,
  };
}

/** The same labels with pseudonyms for ids. */
export function pseudonymousLabels(set: LabelSet, { names, publicKey }: PseudonymousRows): LabelSet {
  const order = sortedOrder(names);
  return {
    ...set,
    samples: order.map((row) => names[row]),
    labels: Int32Array.from(order, (row) => set.labels[row]),
    pseudonyms: publicKey,
  };
}

/** The same split with pseudonyms for ids; `nameOf` must know all of them. */
export function pseudonymousSplit(split: Split, nameOf: (id: string) => string): Split {
  const part = (ids: readonly string[]) => ids.map(nameOf).sort();
  return { ...split, train: part(split.train), validation: part(split.validation), test: part(split.test) };
}

function sortedOrder(names: readonly string[]): number[] {
  return [...names.keys()].sort((a, b) => (names[a] < names[b] ? -1 : 1));
}

function reorder(values: Float32Array, width: number, order: readonly number[]): Float32Array {
  const sorted = new Float32Array(values.length);
  for (const [to, from] of order.entries()) sorted.set(values.subarray(from * width, (from + 1) * width), to * width);
  return sorted;
}
