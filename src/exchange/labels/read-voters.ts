// [wire] Reads the bundles that carry class probabilities, which are what local models predict by themselves.
import { F3Error } from '../../errors.ts';
import { listBundles, readBundles } from '../bundle/bundle-folder.ts';
import type { Voter } from './label-entropy.ts';

/** `paths` are files or folders. `onRead` is called with how many of how many files were read. */
export async function readVoters(
  paths: readonly string[],
  onRead: (read: number, files: number) => void = () => undefined,
): Promise<Voter[]> {
  const files = listBundles(paths);
  const voters: Voter[] = [];
  let read = 0;
  for await (const { bundle } of readBundles(files)) {
    const { samples, classes, probabilities } = bundle;
    if (classes && probabilities) voters.push({ samples, classes, probabilities: probabilities.slice() });
    onRead(++read, files.length);
  }
  if (voters.length > 0) return voters;
  throw new F3Error('F3_BUNDLE_VOTES', `entropy: needs bundles with probabilities, got none in ${files.length} files`);
}
