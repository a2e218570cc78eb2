// What `f3 fuse`, `f3 predict` and `f3 evaluate` read: bundles, labels, split, adjacency.
import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import type { Engine } from '../../core/engine/engine.ts';
import type { ProgressListener } from '../../data/import/import-report.ts';
import { F3Error } from '../../errors.ts';
import type { LabelSet } from '../../exchange/bundle/labels.ts';
import type { Joined, JoinOptions } from '../../fuse/join/bundle-join.ts';
import { EDGE_WEIGHT_RULE, isEdgeWeight } from '../../fuse/join/edge-weight.ts';
import { checkNamedGraph, orderGraph } from '../../fuse/join/order-graph.ts';
import type { SplitIds } from '../../fuse/join/place-split.ts';

export const isArrowName = (file: string): boolean =>
  ['.arrow', '.feather', '.ipc'].includes(extname(file).toLowerCase());

/** Arrow, or a table (CSV, TSV, Parquet) with the columns sample and label. */
export async function readLabelFile(file: string, classes?: readonly string[]): Promise<LabelSet> {
  const { decodeLabels, makeLabelSet } = await import('../../exchange/bundle/labels.ts');
  const name = `labels ${file}`;
  if (isArrowName(file)) {
    const { readBytes } = await import('../../base/read-file.ts');
    return decodeLabels(await readBytes(file), name, classes);
  }
  const { TableFile } = await import('../../base/table-file.ts');
  const { readColumn } = await import('../../embed/embedding-table.ts');
  const table = await TableFile.open(file);
  try {
    return makeLabelSet(await readColumn(table, 'sample'), await readColumn(table, 'label'), name, classes);
  } finally {
    table.close();
  }
}

/** A whole number is the seed of a random split into 70, 10 and 20 %; anything else a file. */
export async function readSplit(seedOrFile: string, { samples }: LabelSet): Promise<SplitIds> {
  const { parseSplitFile } = await import('../../exchange/bundle/split.ts');
  const { randomSplit } = await import('../../exchange/bundle/sample-parts.ts');
  const { readText } = await import('../../base/read-file.ts');
  if (/^\d+$/.test(seedOrFile)) return randomSplit(samples, Number(seedOrFile));
  return parseSplitFile(await readText(seedOrFile), seedOrFile, samples);
}

/** Joins all bundles of `paths` but those of the owners in `without`; warnings go to `warn`. */
export async function joinBundles(
  engine: Engine,
  paths: readonly string[],
  { without = [], ...options }: JoinOptions & { without?: readonly string[] },
  { progress, warn }: { progress: ProgressListener; warn: (line: string) => void },
): Promise<Joined> {
  const { listBundles, readBundles } = await import('../../exchange/bundle/bundle-folder.ts');
  const { BundleJoin } = await import('../../fuse/join/bundle-join.ts');
  const files = listBundles(paths);
  const join = new BundleJoin(engine, { expected: files.length, ...options });
  const odd: string[] = [];
  let done = 0;
  for await (const { bundle, hash, warnings } of readBundles(files)) {
    if (without.includes(bundle.owner)) continue;
    const joined = join.add(bundle, hash);
    if (options.samples && joined.joined === 0) throw noOverlap(bundle.owner, bundle.samples, options.samples);
    odd.push(...warnings.filter(({ code }) => code !== 'integer-ids').map(({ message }) => message));
    progress('reading bundles', ++done, files.length);
  }
  if (done === 0) throw new F3Error('F3_OPTION', `--without: must leave a bundle, got all ${files.length} left out`);
  for (const message of odd.slice(0, SHOWN)) warn(`warning: ${message}`);
  if (odd.length > SHOWN) warn(`warning: ${odd.length - SHOWN} more (f3 bundle check shows them)`);
  return join.finish();
}

const SHOWN = 5;
/** An owner that saw less than this share of the samples will hardly be aligned. */
const FEW = 0.05;

/** How owners and samples met, for stderr. */
export function describeJoin({ owners, samples, isComplete }: Joined, unused: number): string[] {
  const seen = (count: number) => `${count} of ${samples.length} samples`;
  const partial = owners.filter(({ joined }) => joined < samples.length).sort((a, b) => a.joined - b.joined);
  const lines = [`${owners.length} owners, ${samples.length} labelled samples`];
  if (isComplete) lines.push('every owner saw every sample');
  for (const { owner, joined } of partial.slice(0, SHOWN)) {
    const note = joined < FEW * samples.length ? ' (too few to align it well)' : '';
    lines.push(`  owner ${owner} saw ${seen(joined)}${note}`);
  }
  const few = partial.slice(SHOWN).filter(({ joined }) => joined < FEW * samples.length).length;
  if (partial.length > SHOWN) {
    const also = few > 0 ? `, ${few} of them too few` : '';
    lines.push(`  ${partial.length - SHOWN} more owners saw part of them${also}`);
  }
  const extra = owners.reduce((sum, { rows, joined }) => sum + rows - joined, 0);
  if (extra > 0) lines.push(`${extra} embeddings belong to samples without a label and are left out`);
  if (unused > 0) lines.push(`${unused} samples of the split have no label or no owner and are left out`);
  return lines;
}

/**
 * An adjacency for the owners, in their order: a table from,to[,weight] of edges, or a matrix. A matrix is in the order of
 * its header of owner ids, of the data set beside it, or else of the owners here.
 */
export async function readAdjacency(file: string, owners: readonly string[]): Promise<Float64Array> {
  const { readText } = await import('../../base/read-file.ts');
  const { parseGraph } = await import('../../exchange/bundle/graph-csv.ts');
  const text = (await readText(file)).replace(/^\uFEFF/, '').trimEnd();
  const name = `adjacency ${file}`;
  const [header] = text.split(/\r?\n/, 1);
  const cells = header.split(',').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
  if (cells[0] === 'from' && cells[1] === 'to') return edgeList(text, owners, name);
  const isHeader =
    cells.some((cell) => owners.includes(cell)) && cells.every((cell) => Number(cell) !== 0 || cell === '');
  const order = isHeader ? cells.filter((cell) => cell !== '') : ((await datasetOwners(file)) ?? owners);
  const body = isHeader ? text.slice(header.length).trimStart() : text;
  const graph = { owners: order, weights: parseGraph(body, order.length, name) };
  checkNamedGraph(graph, owners, name);
  return orderGraph(graph, owners);
}

function edgeList(text: string, owners: readonly string[], name: string): Float64Array {
  const positions = new Map(owners.map((owner, i) => [owner, i]));
  const matrix = new Float64Array(owners.length ** 2);
  for (const [i, line] of text.split(/\r?\n/).slice(1).entries()) {
    const [from, to, weight = '1'] = line.split(',').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
    const ends = [from, to].map((owner) => positions.get(owner));
    if (ends[0] === undefined || ends[1] === undefined || weight === '' || !isEdgeWeight(Number(weight))) {
      const rule = `line ${i + 2} must be two owners of the bundles and a weight, ${EDGE_WEIGHT_RULE}`;
      throw new F3Error('F3_FUSE_GRAPH', `${name}: ${rule}, got ${JSON.stringify(line)}`);
    }
    matrix[ends[0] * owners.length + ends[1]] = Number(weight);
    matrix[ends[1] * owners.length + ends[0]] = Number(weight);
  }
  return matrix;
}

/** Owners in the order of graph.csv, when the file lies in a data set. */
async function datasetOwners(file: string): Promise<string[] | undefined> {
  const card = join(dirname(file), 'dataset.json');
  if (!existsSync(card)) return undefined;
  const { readText } = await import('../../base/read-file.ts');
  const { owners } = JSON.parse(await readText(card)) as { owners?: string[] };
  return owners;
}

function noOverlap(owner: string, samples: readonly string[], wanted: readonly string[]): F3Error {
  const rule = 'must have samples in common with the labels';
  const found = `none: its first id is ${JSON.stringify(samples[0])}, the labels' first is ${JSON.stringify(wanted[0])}`;
  return new F3Error('F3_FUSE_OVERLAP', `bundle ${owner}: ${rule}, got ${found}`);
}
