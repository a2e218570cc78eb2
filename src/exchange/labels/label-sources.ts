// [coordinator] Labels in any form that a caller may have: a file, the bytes of an Arrow file, an object, a map or arrays.
import { extname } from 'node:path';
import { readBytes } from '../../base/read-file.ts';
import { F3Error } from '../../errors.ts';
import { decodeLabels, type LabelSet, makeLabelSet } from './labels.ts';

/** Samples and the class of each, side by side. With numbers as labels, `classes` names them by position. */
export interface LabelColumns {
  samples: readonly (string | number)[];
  labels: ArrayLike<string | number>;
  classes?: readonly string[] | undefined;
}

/** A path (Arrow, CSV, TSV, Parquet with columns sample and label), bytes of an Arrow file, sample → class, or columns. */
export type LabelSource =
  | string
  | Uint8Array
  | ReadonlyMap<string, string | number>
  | Readonly<Record<string, string | number>>
  | LabelColumns;

/** Tells by the ending of its name whether a file of labels is Arrow. */
export const isArrowFile = (file: string): boolean =>
  ['.arrow', '.feather', '.ipc'].includes(extname(file).toLowerCase());

/** `classes` names all classes in their order, where the labels alone do not. */
export async function readLabels(source: LabelSource, classes?: readonly string[]): Promise<LabelSet> {
  if (typeof source === 'string') return readLabelFile(source, classes);
  if (source instanceof Uint8Array) return decodeLabels(source, 'labels', classes);
  if (typeof source !== 'object' || source === null) {
    const rule = 'must be a path, bytes, an object, a map or columns';
    throw new F3Error('F3_LABELS', `labels: ${rule}, got ${String(source)}`);
  }
  if (isColumns(source)) return fromColumns(source, classes);
  const pairs = source instanceof Map ? [...source] : Object.entries(source as Record<string, string | number>);
  const names = pairs.map(([, label]) => String(label));
  return makeLabelSet(
    pairs.map(([sample]) => sample),
    names,
    'labels',
    classes,
  );
}

async function readLabelFile(file: string, classes?: readonly string[]): Promise<LabelSet> {
  const name = `labels ${file}`;
  if (isArrowFile(file)) return decodeLabels(await readBytes(file), name, classes);
  const { TableFile } = await import('../../base/table-file.ts');
  const { readColumn } = await import('../../base/table-columns.ts');
  const table = await TableFile.open(file);
  try {
    return makeLabelSet(await readColumn(table, 'sample'), await readColumn(table, 'label'), name, classes);
  } finally {
    table.close();
  }
}

function fromColumns(columns: LabelColumns, classes = columns.classes): LabelSet {
  const { classes: named } = columns;
  const nameOf = (label: string | number) => (typeof label === 'number' ? (named?.[label] ?? String(label)) : label);
  return makeLabelSet(columns.samples.map(String), Array.from(columns.labels, nameOf), 'labels', classes);
}

const isColumns = (source: object): source is LabelColumns =>
  'samples' in source && Array.isArray(source.samples) && 'labels' in source;
