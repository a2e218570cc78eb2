// [owner] Reads one owner's folder and nothing else: windows.arrow and, where present, labels.arrow.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Table } from 'apache-arrow';
import { decodeArrow, readIntegers, readTexts } from '../../base/arrow-table.ts';
import { readFloatLists } from '../../base/float-lists.ts';
import { parseNameList } from '../../base/name-list.ts';
import { readBytes, unreadable } from '../../base/read-file.ts';
import { F3Error } from '../../errors.ts';
import { canonicalSampleIds } from '../../exchange/bundle/canonical-time.ts';
import { findUnknownLabel, type LabelSet } from '../../exchange/labels/labels.ts';
import type { Part } from '../../exchange/labels/sample-parts.ts';
import { isPart } from '../../exchange/labels/split.ts';
import { DATASET_VERSION, LABELS_FORMAT, type OwnerData, WINDOWS_FORMAT } from './dataset-format.ts';

/** Reads one owner's windows and labels, and nothing else. */
export async function readOwnerFolder(folder: string): Promise<OwnerData> {
  const file = join(folder, 'windows.arrow');
  const table = await readTable(file, WINDOWS_FORMAT);
  const length = Number(metadata(table, file, 'f3.length'));
  const variates = nameList(table, file, 'f3.variates');
  const samples = sampleColumn(table, file);
  const column = table.getChild('window');
  const lists = column && readFloatLists(column);
  if (!lists || 'fault' in lists || lists.width !== length * variates.length) {
    const rule = `column window must be fixed_size_list<float32>[${length} × ${variates.length}] without nulls`;
    throw formatError(file, rule, columnType(table, 'window'));
  }
  const [id, rate] = [metadata(table, file, 'f3.owner'), metadata(table, file, 'f3.rate')];
  const labels = await readOwnerLabels(join(folder, 'labels.arrow'), samples);
  return { id, length, variates, rate, samples, windows: lists.values, ...labels };
}

/** The labels of `samples`, in that order. The file may have them in another order, and for more samples. */
async function readOwnerLabels(
  file: string,
  samples: readonly string[],
): Promise<Pick<OwnerData, 'labels' | 'parts' | 'classes'>> {
  if (!existsSync(file)) return { labels: undefined, parts: undefined, classes: undefined };
  const table = await readTable(file, LABELS_FORMAT);
  const given = labelColumns(table, file);
  const givenParts = readTexts(table, 'part');
  if (!givenParts) throw formatError(file, 'column part must be utf8 without nulls', columnType(table, 'part'));
  const rows = new Map(given.samples.map((sample, row) => [sample, row]));
  const order = samples.map((sample) => {
    const row = rows.get(sample);
    if (row === undefined) throw formatError(file, 'must have a label for every window', `none for ${sample}`);
    return row;
  });
  const parts = order.map((row): Part => {
    const part = givenParts[row];
    if (!isPart(part)) throw formatError(file, 'part must be train, validation or test', part);
    return part;
  });
  return { labels: Int32Array.from(order, (row) => given.labels[row]), parts, classes: given.classes };
}

/** Reads the coordinator's labels.arrow. */
export async function readLabels(file: string): Promise<LabelSet> {
  return labelColumns(await readTable(file, LABELS_FORMAT), file);
}

function labelColumns(table: Table, file: string): LabelSet {
  const samples = sampleColumn(table, file);
  const labels = readIntegers(table, 'label');
  if (!labels) throw formatError(file, 'column label must be int32 without nulls', columnType(table, 'label'));
  const classes = nameList(table, file, 'f3.classes');
  const bad = findUnknownLabel(labels, classes);
  if (bad < 0) return { samples, labels, classes };
  const rule = `label of sample ${samples[bad]} must be from 0 to ${classes.length - 1}`;
  throw new F3Error('F3_DATA_LABEL', `${file}: ${rule}, got ${labels[bad]}`);
}

function sampleColumn(table: Table, file: string): string[] {
  const samples = readTexts(table, 'sample');
  if (samples) return canonicalSampleIds(samples);
  throw formatError(file, 'column sample must be utf8 without nulls', columnType(table, 'sample'));
}

async function readTable(file: string, format: string): Promise<Table> {
  const bytes = await readBytes(file);
  let table: Table;
  try {
    table = decodeArrow(bytes);
  } catch (cause) {
    throw unreadable(file, cause, 'must be an Arrow IPC file');
  }
  const found = ['f3.format', 'f3.version'].map((key) => table.schema.metadata.get(key) ?? '?').join(' ');
  const expected = `${format} ${DATASET_VERSION}`;
  if (found === expected) return table;
  throw formatError(file, `f3.format and f3.version must be ${expected}`, found);
}

function metadata(table: Table, file: string, key: string): string {
  const value = table.schema.metadata.get(key);
  if (value === undefined) throw formatError(file, `schema metadata must have ${key}`, 'none');
  return value;
}

function nameList(table: Table, file: string, key: string): string[] {
  const json = metadata(table, file, key);
  const names = parseNameList(json);
  if (names) return names;
  throw formatError(file, `metadata ${key} must be a JSON list of names`, json);
}

function columnType(table: Table, name: string): string {
  const vector = table.getChild(name);
  return vector ? `${vector.type} with ${vector.nullCount} nulls` : 'no such column';
}

const formatError = (file: string, rule: string, value: unknown): F3Error =>
  new F3Error('F3_DATA_FORMAT', `${file}: ${rule}, got ${value}`);
