// [wire] All bundles of a folder, one after the other, each checked before it is handed on.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { F3Error } from '../../errors.ts';
import { type Bundle, bundleHash, decodeBundle } from './bundle.ts';
import { readBundleFile } from './bundle-file.ts';
import type { BundleFinding } from './bundle-finding.ts';
import { requireSound } from './check-bundle.ts';
import { idFindings } from './check-ids.ts';
import { RecentIds } from './recent-ids.ts';
import type { SampleIds } from './sample-ids.ts';

/** A bundle that was read from its file and is sound. */
export interface LoadedBundle {
  /** Path of the file. */
  file: string;
  /** SHA-256 of the file. */
  hash: string;
  bundle: Bundle;
  /** What is unusual about it. */
  warnings: BundleFinding[];
}

/** Bundles among `paths`, which are files or folders: all `.arrow` files of a folder by name. */
export function listBundles(paths: readonly string[]): string[] {
  const files = paths.flatMap((path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat)
      throw new F3Error('F3_BUNDLE_UNREADABLE', `bundles ${path}: must be a folder or a file, got no such path`);
    if (!stat.isDirectory()) return [path];
    return readdirSync(path)
      .filter((name) => name.endsWith('.arrow') && !name.startsWith('.'))
      .sort()
      .map((name) => join(path, name));
  });
  if (files.length > 0) return files;
  throw new F3Error('F3_BUNDLE_UNREADABLE', `bundles ${paths.join(', ')}: must hold .arrow files, got none`);
}

/**
 * Throws the first error. Bundles that list the same samples share one array of ids; otherwise a bundle's memory is free
 * for reuse when the next one is asked for. The next file is read while the caller works on this one.
 */
export async function* readBundles(files: readonly string[]): AsyncGenerator<LoadedBundle> {
  const recent = new RecentIds<SampleIds>();
  let ids = { samples: [] as string[], findings: [] as BundleFinding[] };
  let coming = files.length > 0 ? readBundleFile(files[0]) : undefined;
  for (const [i, file] of files.entries()) {
    const bytes = await (coming as Promise<Uint8Array>);
    coming = i + 1 < files.length ? readBundleFile(files[i + 1]) : undefined;
    coming?.catch(() => undefined); // a failure is thrown above when the file's turn comes, if it ever does
    const bundle = decodeBundle(bytes, file, recent);
    const { samples, sampleType } = bundle;
    if (samples !== ids.samples) ids = { samples, findings: idFindings(samples, sampleType) };
    yield { file, hash: bundleHash(bytes), bundle, warnings: requireSound(bundle, ids.findings) };
  }
}
