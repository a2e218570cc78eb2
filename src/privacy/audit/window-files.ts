// [owner] Windows of readings in a file of their own, for owners whose embeddings another program made.
import { F3Error } from '../../errors.ts';
import type { Bundle } from '../../exchange/bundle/bundle.ts';
import { readBundleFile } from '../../exchange/bundle/bundle-file.ts';
import { canonicalSampleId } from '../../exchange/bundle/canonical-time.ts';
import { readNpyIds, readNpyWindows } from '../../exchange/bundle/npy.ts';

/** Where windows lie, and how to read them. */
export interface WindowFile {
  /** .npy of shape (samples, time) or (samples, time, variates); or a .csv or .parquet table with one row per sample. */
  file: string;
  /** File of ids in the order of the .npy; by default its rows are in the order of the bundle. */
  ids?: string | undefined;
  /** Column of ids, in a table. */
  idColumn?: string | undefined;
  /** Readings that were taken at once, in a table: its columns are all of the first step, then all of the second, and so on. */
  variates?: number | undefined;
}

/** Windows in the order of a bundle's samples. */
export interface BundleWindows {
  /** [sample, time, variate] */
  windows: Float32Array;
  length: number;
  variates: number;
}

/** Every sample of the bundle must have a window; windows of other samples are left out. */
export async function readBundleWindows(bundle: Bundle, source: WindowFile): Promise<BundleWindows> {
  const read = /\.np[yz]$/.test(source.file) ? await readArray(bundle, source) : await readTable(source);
  const { values, length, variates } = read;
  const size = length * variates;
  const rows = new Map(read.samples.map((sample, row) => [sample, row]));
  const windows = new Float32Array(bundle.samples.length * size);
  const absent = bundle.samples.filter((sample) => !rows.has(canonicalSampleId(sample)));
  if (absent.length > 0) {
    const found = `none for ${absent.length} of them, such as ${absent[0]}`;
    const rule = `must have a window for each of the bundle's ${bundle.samples.length} samples`;
    throw new F3Error('F3_LEAK_AUDIT', `${source.file}: ${rule}, got ${found}`);
  }
  for (const [i, sample] of bundle.samples.entries()) {
    const row = rows.get(canonicalSampleId(sample)) as number;
    windows.set(values.subarray(row * size, (row + 1) * size), i * size);
  }
  return { windows, length, variates };
}

async function readArray({ samples }: Bundle, { file, ids }: WindowFile) {
  const { rows, ...read } = readNpyWindows(await readBundleFile(file), file);
  const given = ids === undefined ? samples : await readIds(ids);
  if (given.length === rows) return { ...read, samples: given.map(canonicalSampleId) };
  const whose = ids === undefined ? 'of the bundle, in its order, unless ids are given' : `of ${ids}`;
  const rule = `must have one window per sample ${whose} (${given.length})`;
  throw new F3Error('F3_LEAK_AUDIT', `${file}: ${rule}, got ${rows}`);
}

async function readIds(file: string): Promise<string[]> {
  if (file.endsWith('.npy')) return readNpyIds(await readBundleFile(file), file).samples;
  const { readIdList } = await import('../../embed/id-list.ts');
  return readIdList(file, SAMPLE);
}

const SAMPLE = 'sample';

async function readTable({ file, idColumn = SAMPLE, variates = 1 }: WindowFile) {
  const { readEmbeddingTable } = await import('../../embed/embedding-table.ts');
  const { samples, embeddings, width } = await readEmbeddingTable(file, { idColumn });
  if (width % variates === 0) {
    return { samples: samples.map(canonicalSampleId), values: embeddings, length: width / variates, variates };
  }
  const rule = `must have columns of readings that can be divided by ${variates} variates`;
  throw new F3Error('F3_LEAK_AUDIT', `${file}: ${rule}, got ${width}`);
}
