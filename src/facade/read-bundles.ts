// Bundles of any form on their way into a join, with progress, warnings and owners that are left out.
import { F3Error } from '../errors.ts';
import type { Bundle } from '../exchange/bundle/bundle.ts';
import { type BundleSource, openBundles } from '../exchange/bundle/bundle-sources.ts';
import type { FieldsOf } from './require-fields.ts';

/** How many bundles have been read. */
export interface ReadingProgress {
  stage: 'reading';
  /** Bundles that have been read. */
  done: number;
  /** Bundles in all. */
  total: number;
}

/** How bundles are read. */
export interface ReadingOptions {
  /** Owners to leave out, as if they had sent nothing. */
  without?: readonly string[] | undefined;
  /** Stops the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Called after every bundle. */
  onProgress?: ((progress: ReadingProgress) => void) | undefined;
  /** What is unusual about a bundle, in a sentence. Default: not reported. */
  onWarning?: ((message: string) => void) | undefined;
}

export const READING_FIELDS: FieldsOf<ReadingOptions> = {
  without: true,
  signal: true,
  onProgress: true,
  onWarning: true,
};

/** Whoever made a bundle with integer ids was warned then; it is not said again. */
const QUIET = 'integer-ids';

/** Resolves to the owners that were left out. */
export async function addBundles(
  sources: BundleSource | readonly BundleSource[],
  join: { add(bundle: Bundle, hash: string): unknown },
  { without = [], signal, onProgress, onWarning }: ReadingOptions,
): Promise<string[]> {
  if (!Array.isArray(without)) {
    throw new F3Error('F3_ARGUMENT', `without: must be a list of owners, got ${JSON.stringify(without)}`);
  }
  const leftOut: string[] = [];
  let added = 0;
  for await (const { bundle, hash, warnings, done, total } of openBundles(sources)) {
    signal?.throwIfAborted();
    onProgress?.({ stage: 'reading', done, total });
    if (without.includes(bundle.owner)) {
      leftOut.push(bundle.owner);
      continue;
    }
    join.add(bundle, hash);
    added++;
    for (const { code, message } of warnings) if (code !== QUIET) onWarning?.(message);
  }
  if (added > 0) return leftOut;
  throw new F3Error('F3_FUSE_OWNER', 'without: must leave a bundle, got every owner left out', { remedy: 'without' });
}

/** Whoever is to be left out must be there: a mistyped name would leave somebody in who was not wanted. */
export function requireKnown(without: readonly string[] = [], known: readonly string[]): void {
  const unknown = without.find((owner) => !known.includes(owner));
  if (unknown === undefined) return;
  const rule = 'must name owners of these bundles, or of the model';
  throw new F3Error('F3_FUSE_OWNER', `without: ${rule}, got ${unknown || 'an empty name'}`, { remedy: 'without' });
}
