// [wire] What the label holder sends: the class of every sample. Arrow (docs/dataset-format.md), or pairs read from CSV.
import type { Table } from 'apache-arrow';
import { encodeArrow, integerColumn, readIntegers, readTexts, textColumn } from '../../base/arrow-table.ts';
import { parseNameList } from '../../base/name-list.ts';
import { F3Error } from '../../errors.ts';
import { canonicalSampleIds, mixedTimes } from '../bundle/canonical-time.ts';
import { onlyColumn } from '../bundle/only-column.ts';
import { PSEUDONYMS_KEY, readPseudonymKey } from '../bundle/pseudonym-key.ts';
import { readArrow } from '../bundle/read-arrow.ts';
import { RepeatedTexts } from '../bundle/repeated-texts.ts';
import { checkTexts, readIds } from '../bundle/sample-ids.ts';

/** Samples and the class of each. */
export interface LabelSet {
  /** Ids of the samples. */
  samples: string[];
  /** [sample]: position in `classes` */
  labels: Int32Array;
  /** Names of the classes; of two the second is the positive one. */
  classes: string[];
  /** Public key of the key holder whose pseudonyms the ids are; without it they are the label holder's own ids. */
  pseudonyms?: string;
}

/**
 * `labels` are class names, one per sample. Without `classes` they are those that occur: numbers in their order, texts in
 * the alphabet's. Of two classes the second is the positive one.
 */
export function makeLabelSet(
  given: readonly string[],
  labels: readonly string[],
  name: string,
  classes: readonly string[] = classesOf(labels),
): LabelSet {
  const samples = canonicalSampleIds(given);
  if (labels.length !== samples.length) {
    throw labelError(`${name}: must have one label per sample, got ${labels.length} for ${samples.length} samples`);
  }
  if (samples.length === 0) throw labelError(`${name}: must label at least one sample, got none`);
  if (classes.length < 2) throw labelError(`${name}: must name at least two classes, got ${classes.join() || 'none'}`);
  requireUnique(samples, name);
  const mixed = mixedTimes(samples);
  if (mixed) {
    const found = mixed.map((row) => `${samples[row]} in row ${row + 1}`).join(' and ');
    throw labelError(`${name}: sample ids that are times must all have a zone or none of them, got ${found}`);
  }
  const positions = new Map(classes.map((label, position) => [label, position]));
  const numbers = Int32Array.from(labels, (label, row) => {
    const position = positions.get(label);
    if (position !== undefined) return position;
    const rule = `labels must be among ${classes.join(', ')}`;
    throw labelError(`${name}: ${rule}, got ${JSON.stringify(label)} (row ${row + 1})`);
  });
  return { samples, labels: numbers, classes: [...classes] };
}

function requireUnique(samples: readonly string[], name: string): void {
  const texts = new RepeatedTexts();
  for (const sample of samples) texts.add(sample);
  const seen = new Set<string>();
  for (const row of texts.suspects().rows) {
    const sample = samples[row];
    if (seen.has(sample)) {
      throw labelError(`${name}: every sample must be labelled once, got ${sample} again in row ${row + 1}`);
    }
    seen.add(sample);
  }
}

/** Encodes labels as the Arrow file that a coordinator takes and `decodeLabels` reads. */
export function encodeLabels({ samples, labels, classes, pseudonyms }: LabelSet): Uint8Array {
  const columns = { sample: textColumn(samples), label: integerColumn(labels) };
  const key = pseudonyms === undefined ? {} : { [PSEUDONYMS_KEY]: pseudonyms };
  return encodeArrow(columns, { 'f3.classes': JSON.stringify(classes), ...key });
}

/** Reads an Arrow table of `sample` and `label`: class names, numbers, or positions in the metadata's `f3.classes`. */
export function decodeLabels(bytes: Uint8Array, name: string, classes?: readonly string[]): LabelSet {
  const read = (table: Table) => {
    const pseudonyms = readPseudonymKey(table, name);
    return { ...readLabels(table, name, classes), ...(pseudonyms !== undefined && { pseudonyms }) };
  };
  return readArrow(bytes, name, read, 'F3_LABELS');
}

function readLabels(table: Table, name: string, classes: readonly string[] | undefined): LabelSet {
  const { samples } = readIds(table, name, table.numRows);
  checkTexts(onlyColumn(table, 'label', name), 'label', name);
  const texts = readTexts(table, 'label');
  const positions = readIntegers(table, 'label');
  const stored = table.schema.metadata.get('f3.classes');
  if (!texts && !positions) {
    throw labelError(`${name}: column label must be text or integers without nulls, got another type`);
  }
  if (!positions || stored === undefined) {
    return makeLabelSet(samples, texts ?? Array.from(positions ?? [], String), name, classes);
  }
  const names = parseNameList(stored);
  if (!names) throw labelError(`${name}: f3.classes must be a JSON list of names, got ${stored.slice(0, 80)}`);
  const row = findUnknownLabel(positions, names);
  if (row >= 0) {
    const rule = `labels must be from 0 to ${names.length - 1}`;
    throw labelError(`${name}: ${rule}, got ${positions[row]} (row ${row + 1})`);
  }
  const labels = Array.from(positions, (position) => names[position]);
  return makeLabelSet(samples, labels, name, classes ?? names);
}

/** The row of the first label that is no position in `classes`, −1 where there is none. */
export function findUnknownLabel(labels: Int32Array, classes: readonly string[]): number {
  return labels.findIndex((label) => label < 0 || label >= classes.length);
}

function classesOf(labels: readonly string[]): string[] {
  const distinct = [...new Set(labels)];
  const isNumeric = distinct.every((label) => label.trim() !== '' && Number.isFinite(Number(label)));
  return isNumeric ? distinct.sort((a, b) => Number(a) - Number(b)) : distinct.sort();
}

const labelError = (message: string): F3Error => new F3Error('F3_LABELS', message);
