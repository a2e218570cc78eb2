// [coordinator] Bundles in any form that a caller may have: files, folders, bytes, or arrays in memory, each checked.
import { F3Error } from '../../errors.ts';
import { type Bundle, bundleHash, decodeBundle, encodeBundle } from './bundle.ts';
import type { BundleFinding } from './bundle-finding.ts';
import { listBundles, readBundles } from './bundle-folder.ts';
import { canonicalSampleIds } from './canonical-time.ts';
import { requireSound } from './check-bundle.ts';
import type { SampleType } from './sample-ids.ts';

/** Rows of equal length, or all their numbers in one array with the length of a row beside it. */
export type NumberRows = readonly ArrayLike<number>[] | Float32Array;

/** One owner's embeddings as a program holds them. */
export interface PlainBundle {
  owner: string;
  /** Ids: texts, or whole numbers. */
  samples: readonly (string | number)[];
  /** [sample, d] */
  embeddings: NumberRows;
  /** d, needed where `embeddings` is one array. */
  width?: number | undefined;
  /** [sample, class]: what the owner's own model predicts, for methods that count votes. */
  probabilities?: NumberRows | undefined;
  /** Length of a row of `probabilities`, needed where that is one array. */
  classes?: number | undefined;
  /** Default: integer where every id is a number, else text. */
  sampleType?: SampleType | undefined;
}

/** A bundle file, a folder of them, the bytes of a bundle, or arrays. */
export type BundleSource = string | Uint8Array | PlainBundle;

export interface OpenedBundle {
  bundle: Bundle;
  /** SHA-256 of its bytes. */
  hash: string;
  warnings: BundleFinding[];
  /** Bundles opened so far, this one among them, and how many there are. */
  done: number;
  total: number;
}

/** Opens one after the other and throws the first error. A bundle's memory is free for reuse when the next one is asked for. */
export async function* openBundles(sources: BundleSource | readonly BundleSource[]): AsyncGenerator<OpenedBundle> {
  const entries = list(sources).flatMap((source): BundleSource[] =>
    typeof source === 'string' ? listBundles([source]) : [source],
  );
  const total = entries.length;
  if (total === 0) throw new F3Error('F3_BUNDLE_EMPTY', 'bundles: must be at least one, got none');
  const files = entries.filter((entry) => typeof entry === 'string');
  let done = 0;
  for await (const { bundle, hash, warnings } of readBundles(files)) {
    yield { bundle, hash, warnings, done: ++done, total };
  }
  for (const [i, entry] of entries.entries()) {
    if (typeof entry === 'string') continue;
    const bundle = entry instanceof Uint8Array ? decodeBundle(entry, `bundle number ${i + 1}`) : toBundle(entry);
    const warnings = requireSound(bundle);
    const hash = bundleHash(entry instanceof Uint8Array ? entry : encodeBundle(bundle));
    yield { bundle, hash, warnings, done: ++done, total };
  }
}

/** How many bundles the sources hold. */
export function countBundles(sources: BundleSource | readonly BundleSource[]): number {
  return list(sources).reduce(
    (sum, source) => sum + (typeof source === 'string' ? listBundles([source]).length : 1),
    0,
  );
}

function list(sources: BundleSource | readonly BundleSource[]): readonly BundleSource[] {
  return Array.isArray(sources) ? sources : [sources as BundleSource];
}

/** Makes a bundle of arrays. It checks the lengths of rows only; `checkBundle` checks the rest. */
export function toBundle(plain: PlainBundle): Bundle {
  const { owner, samples } = plain ?? {};
  if (typeof owner !== 'string' || !Array.isArray(samples) || plain.embeddings === undefined) {
    const rule = 'must be a path, bytes, or an object with owner, samples and embeddings';
    throw new F3Error('F3_BUNDLE_FORMAT', `bundle: ${rule}, got ${Object.keys(plain ?? {}).join(', ') || 'nothing'}`);
  }
  const name = `bundle ${owner}`;
  const { values, width } = flatRows(plain.embeddings, plain.width, samples.length, `${name}: embeddings`);
  const isInteger = samples.length > 0 && samples.every((id) => Number.isSafeInteger(id));
  const sampleType = plain.sampleType ?? (isInteger ? 'integer' : 'text');
  const ids = samples.map(String);
  const bundle: Bundle = {
    owner,
    samples: sampleType === 'text' ? canonicalSampleIds(ids) : ids,
    sampleType,
    width,
    embeddings: values,
  };
  if (plain.probabilities) {
    const rows = flatRows(plain.probabilities, plain.classes, samples.length, `${name}: probabilities`);
    bundle.classes = rows.width;
    bundle.probabilities = rows.values;
  }
  return bundle;
}

/** → [row, width] */
function flatRows(rows: NumberRows, stated: number | undefined, count: number, name: string) {
  if (rows instanceof Float32Array) {
    const width = stated ?? rows.length / count;
    if (Number.isInteger(width) && width > 0 && rows.length === count * width) return { values: rows, width };
    const rule = `must have one row of ${stated ?? 'equal'} numbers for each of the ${count} samples`;
    throw new F3Error('F3_BUNDLE_COUNT', `${name} ${rule}, got ${rows.length} numbers in all`);
  }
  const width = rows[0]?.length ?? 0;
  if (rows.length !== count) {
    const rule = `must have one row for each of the ${count} samples`;
    throw new F3Error('F3_BUNDLE_COUNT', `${name} ${rule}, got ${rows.length}`);
  }
  const values = new Float32Array(count * width);
  for (const [i, row] of rows.entries()) {
    if (row.length !== width || width === 0) {
      const rule = width === 0 ? 'must have numbers in every row' : `must have rows of one length (${width})`;
      throw new F3Error('F3_BUNDLE_COUNT', `${name} ${rule}, got ${row.length} (row ${i + 1})`);
    }
    values.set(row, i * width);
  }
  return { values, width };
}
