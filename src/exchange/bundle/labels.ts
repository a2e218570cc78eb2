// [wire] What the label holder sends: the class of every sample. Arrow (docs/dataset-format.md), or pairs read from CSV.
import type { Table } from 'apache-arrow';
import { decodeArrow, readIntegers, readTexts } from '../../base/arrow-table.ts';
import { F3Error } from '../../errors.ts';
import { checkArrow } from './arrow-messages.ts';
import { onlyColumn } from './only-column.ts';
import { checkTexts, readIds } from './sample-ids.ts';

export interface LabelSet {
  samples: string[];
  /** [sample]: position in `classes` */
  labels: Int32Array;
  classes: string[];
}

/**
 * `labels` are class names, one per sample. Without `classes` they are those that occur: numbers in their order, texts in
 * the alphabet's. Of two classes the second is the positive one.
 */
export function makeLabelSet(
  samples: readonly string[],
  labels: readonly string[],
  name: string,
  classes: readonly string[] = classesOf(labels),
): LabelSet {
  if (samples.length === 0) throw labelError(`${name}: must label at least one sample, got none`);
  if (classes.length < 2) throw labelError(`${name}: must name at least two classes, got ${classes.join() || 'none'}`);
  const seen = new Set<string>();
  for (const [row, sample] of samples.entries()) {
    if (seen.has(sample)) {
      throw labelError(`${name}: every sample must be labelled once, got ${sample} again in row ${row + 1}`);
    }
    seen.add(sample);
  }
  const positions = new Map(classes.map((label, position) => [label, position]));
  const numbers = Int32Array.from(labels, (label, row) => {
    const position = positions.get(label);
    if (position !== undefined) return position;
    const rule = `labels must be among ${classes.join(', ')}`;
    throw labelError(`${name}: ${rule}, got ${JSON.stringify(label)} (row ${row + 1})`);
  });
  return { samples: [...samples], labels: numbers, classes: [...classes] };
}

/** An Arrow table of `sample` and `label`: class names, numbers, or positions in the metadata's `f3.classes`. */
export function decodeLabels(bytes: Uint8Array, name: string, classes?: readonly string[]): LabelSet {
  checkArrow(bytes, name);
  const table = parse(bytes, name);
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
  const names = parseClasses(stored, name);
  const labels = Array.from(positions, (position, row) => {
    if (names[position] !== undefined) return names[position];
    throw labelError(`${name}: labels must be from 0 to ${names.length - 1}, got ${position} (row ${row + 1})`);
  });
  return makeLabelSet(samples, labels, name, classes ?? names);
}

function parse(bytes: Uint8Array, name: string): Table {
  try {
    return decodeArrow(bytes);
  } catch (cause) {
    const [reason] = (cause as Error).message.split('\n');
    throw new F3Error('F3_LABELS', `${name}: must be a sound Arrow IPC file, got ${reason}`, { cause });
  }
}

function parseClasses(stored: string, name: string): string[] {
  try {
    const names: unknown = JSON.parse(stored);
    if (Array.isArray(names) && names.every((entry) => typeof entry === 'string')) return names;
  } catch {
    // falls through: the same message for what is no JSON and what is no list
  }
  throw labelError(`${name}: f3.classes must be a JSON list of names, got ${stored.slice(0, 80)}`);
}

function classesOf(labels: readonly string[]): string[] {
  const distinct = [...new Set(labels)];
  const isNumeric = distinct.every((label) => label.trim() !== '' && Number.isFinite(Number(label)));
  return isNumeric ? distinct.sort((a, b) => Number(a) - Number(b)) : distinct.sort();
}

const labelError = (message: string): F3Error => new F3Error('F3_LABELS', message);
