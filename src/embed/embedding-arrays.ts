// [owner] Embeddings in NumPy arrays, with their ids in a list beside them.

import { F3Error } from '../errors.ts';
import type { BundleContent } from '../exchange/bundle/bundle.ts';
import { readBundleFile } from '../exchange/bundle/bundle-file.ts';
import { readNpyIds, readNpyMatrix } from '../exchange/bundle/npy.ts';
import { readIdList } from './id-list.ts';

/** Where the ids and the probabilities of a NumPy array lie. */
export interface EmbeddingArrayOptions {
  /** File of ids: .npy, or a text file. */
  ids: string;
  /** Column of ids in a text file with a header. */
  idColumn: string;
  probabilities?: string;
}

/** Reads embeddings from a NumPy array, with their ids from a list beside it. */
export async function readEmbeddingArrays(file: string, options: EmbeddingArrayOptions): Promise<BundleContent> {
  const { rows, width, values } = readNpyMatrix(await readBundleFile(file), file);
  const ids = options.ids.endsWith('.npy')
    ? readNpyIds(await readBundleFile(options.ids), options.ids)
    : { samples: await readIdList(options.ids, options.idColumn), sampleType: 'text' as const };
  checkRows(options.ids, 'ids', ids.samples.length, rows);
  const embeddings = { ...ids, width, embeddings: values };
  if (options.probabilities === undefined) return embeddings;
  const given = readNpyMatrix(await readBundleFile(options.probabilities), options.probabilities);
  checkRows(options.probabilities, 'rows', given.rows, rows);
  return { ...embeddings, classes: given.width, probabilities: given.values };
}

function checkRows(file: string, thing: string, found: number, expected: number): void {
  if (found === expected) return;
  const rule = `must have ${expected} ${thing}, one per row of the embeddings`;
  const remedy = thing === 'ids' && found === expected + 1 ? 'idColumn' : undefined;
  throw new F3Error('F3_BUNDLE_COUNT', `${file}: ${rule}, got ${found}`, { remedy });
}
