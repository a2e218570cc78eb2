// Reads samples to predict through a coordinator from bundles, or from a file with each owner's embeddings.
import { extname } from 'node:path';
import { F3Error } from '../../errors.ts';
import { openBundles } from '../../exchange/bundle/bundle-sources.ts';

/** sample → owner → embedding */
export type SampleEmbeddingsByOwner = Map<string, Map<string, ArrayLike<number>>>;

export interface ReadSamples {
  samples: SampleEmbeddingsByOwner;
  /** Those of `without` that were there to be left out. */
  leftOut: ReadonlySet<string>;
}

/** Returns every sample that occurs in a bundle, with the owners that have it, in order of first occurrence. */
export async function samplesOfBundles(
  paths: readonly string[],
  without: readonly string[],
  onWarning: (message: string) => void,
): Promise<ReadSamples> {
  const samples: SampleEmbeddingsByOwner = new Map();
  const leftOut = new Set<string>();
  for await (const { bundle, warnings } of openBundles(paths)) {
    if (without.includes(bundle.owner)) {
      leftOut.add(bundle.owner);
      continue;
    }
    const embeddings = bundle.embeddings.slice(); // the next bundle reuses this one's memory
    for (const [row, sample] of bundle.samples.entries()) {
      const owners = samples.get(sample) ?? new Map<string, ArrayLike<number>>();
      if (owners.has(bundle.owner)) {
        throw new F3Error('F3_FUSE_OWNER', `bundles: an owner must send one, got ${bundle.owner} twice`);
      }
      owners.set(bundle.owner, embeddings.subarray(row * bundle.width, (row + 1) * bundle.width));
      samples.set(sample, owners);
    }
    for (const { code, message } of warnings) if (code !== 'integer-ids') onWarning(message);
  }
  return { samples, leftOut };
}

/** Reads Arrow with columns sample, owner, embedding, or JSON, whole or by line: {"id": …, "embeddings": {owner: […]}}. */
export async function samplesOfFile(file: string, without: readonly string[]): Promise<ReadSamples> {
  const { readBytes, readText } = await import('../../base/read-file.ts');
  if (['.arrow', '.feather', '.ipc'].includes(extname(file).toLowerCase())) {
    const { decodePredictionTable } = await import('../../exchange/bundle/prediction-table.ts');
    return withoutOwners(decodePredictionTable(await readBytes(file)), without);
  }
  const samples: SampleEmbeddingsByOwner = new Map();
  const entries = parseSamples(await readText(file), file);
  if (entries.length === 0) throw formatError(`samples ${file}: must be at least one, got none`);
  for (const [i, entry] of entries.entries()) {
    const { id, embeddings } = readSample(entry, `samples ${file}: entry ${i + 1}`);
    if (samples.has(id)) throw formatError(`samples ${file}: ids must be different, got ${id} twice`);
    samples.set(id, new Map(Object.entries(embeddings)));
  }
  return withoutOwners(samples, without);
}

function withoutOwners(samples: SampleEmbeddingsByOwner, without: readonly string[]): ReadSamples {
  const leftOut = new Set<string>();
  for (const [sample, owners] of samples) {
    for (const owner of without) if (owners.delete(owner)) leftOut.add(owner);
    if (owners.size === 0) samples.delete(sample);
  }
  return { samples, leftOut };
}

function parseSamples(text: string, file: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(text);
    const listed = (parsed as { samples?: unknown }).samples ?? parsed;
    return Array.isArray(listed) ? listed : [listed];
  } catch {
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line, i) => parseLine(line, `samples ${file}: line ${i + 1}`));
  }
}

function parseLine(line: string, name: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw formatError(`${name} must be JSON, got ${line.slice(0, 80)}`);
  }
}

function readSample(entry: unknown, name: string): { id: string; embeddings: Record<string, number[]> } {
  const { id, embeddings } = (entry ?? {}) as { id?: unknown; embeddings?: unknown };
  const lists = typeof embeddings === 'object' && embeddings !== null ? Object.values(embeddings) : [];
  const isSound =
    typeof id === 'string' &&
    lists.length > 0 &&
    lists.every((list) => Array.isArray(list) && list.every((value) => typeof value === 'number'));
  if (isSound) return { id, embeddings: embeddings as Record<string, number[]> };
  const found = JSON.stringify(entry)?.slice(0, 80) ?? 'nothing';
  throw formatError(`${name} must be {"id": "…", "embeddings": {"owner": [numbers]}}, got ${found}`);
}

const formatError = (message: string): F3Error => new F3Error('F3_BUNDLE_FORMAT', message);
