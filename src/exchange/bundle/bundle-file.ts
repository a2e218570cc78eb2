// [wire] Bundles on disk: read whole, written whole or not at all.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readBytes } from '../../base/read-file.ts';
import { writeWholeFile } from '../../base/whole-file.ts';
import { F3Error } from '../../errors.ts';
import { type Bundle, encodeBundle } from './bundle.ts';
import { type BundleFinding, requireSound } from './check-bundle.ts';

/** The bytes of a bundle file. */
export function readBundleFile(file: string): Promise<Uint8Array> {
  return readBytes(file, file, 'F3_BUNDLE_UNREADABLE');
}

/** Refuses a bundle with errors and, unless told otherwise, to replace a file. Returns the bytes and the warnings. */
export function writeBundle(
  file: string,
  bundle: Bundle,
  { overwrite = false }: { overwrite?: boolean } = {},
): { bytes: Uint8Array; warnings: BundleFinding[] } {
  const target = resolve(file);
  checkBundleTarget(target, overwrite);
  const warnings = requireSound(bundle);
  const bytes = encodeBundle(bundle);
  writeWholeFile(target, bytes, file, 'F3_BUNDLE_UNWRITABLE');
  return { bytes, warnings };
}

/** Called before the work, so that an existing file costs no waiting. */
export function checkBundleTarget(file: string, overwrite: boolean): void {
  if (overwrite || !existsSync(file)) return;
  throw new F3Error('F3_BUNDLE_EXISTS', `output ${file}: must not exist yet`, { remedy: 'overwrite' });
}
