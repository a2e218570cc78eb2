// [wire] All bundles of a folder, one after the other, each checked before it is handed on.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { F3Error } from '../errors.ts';
import { type Bundle, bundleHash, decodeBundle } from './bundle.ts';
import { readBundleFile } from './bundle-file.ts';
import { type BundleFinding, requireSound } from './check-bundle.ts';

export interface StoredBundle {
  file: string;
  /** SHA-256 of the file */
  hash: string;
  bundle: Bundle;
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

/** Throws the first error; a bundle's memory is free for reuse when the next one is asked for. */
export async function* readBundles(files: readonly string[]): AsyncGenerator<StoredBundle> {
  for (const file of files) {
    const bytes = await readBundleFile(file);
    const bundle = decodeBundle(bytes, file);
    yield { file, hash: bundleHash(bytes), bundle, warnings: requireSound(bundle) };
  }
}
