// [wire] The id column of a bundle: text (utf8) or integers (int64). The type is part of the contract between owners.
import { type Data, DataType, Int64, makeData, type Table, type Utf8, type Vector } from 'apache-arrow';
import { type ArrowColumn, readTexts, textColumn } from '../../base/arrow-table.ts';
import { F3Error } from '../../errors.ts';
import { isPlainText } from '../plain-text.ts';
import { canonicalSampleId, canonicalSampleIds } from './canonical-time.ts';
import { onlyColumn } from './only-column.ts';
import type { RecentIds } from './recent-ids.ts';

/** Whether sample ids are texts or whole numbers. */
export type SampleType = 'text' | 'integer';

/** The most bytes of an id in UTF-8. The limit also bounds what a dictionary of few long texts can unfold to. */
export const MAX_ID_BYTES = 255;

const SAMPLE = 'sample';
const INTEGER = /^(0|-?[1-9]\d{0,18})$/;
const INTEGER_LIMIT = 2n ** 63n;

/** Times are written in their canonical form. */
export function idColumn(samples: readonly string[], sampleType: SampleType, name: string): ArrowColumn {
  for (const [row, sample] of samples.entries()) {
    if (!isSampleId(sample, sampleType)) throw idError(name, row, sampleType, sample);
  }
  if (sampleType === 'text') return textColumn(canonicalSampleIds(samples));
  const type = new Int64();
  const data = BigInt64Array.from(samples, BigInt);
  return { type, data: makeData({ type, length: samples.length, nullCount: 0, data }) };
}

/** Whether a text may be the id of a sample, among ids of that type. */
export function isSampleId(sample: string, sampleType: SampleType): boolean {
  if (sampleType === 'text') return isPlainText(sample) && Buffer.byteLength(sample) <= MAX_ID_BYTES;
  return INTEGER.test(sample) && BigInt(sample) < INTEGER_LIMIT && BigInt(sample) >= -INTEGER_LIMIT;
}

/** The ids of a bundle, in its order. */
export interface SampleIds {
  samples: string[];
  sampleType: SampleType;
}

export interface ReadOptions {
  /** Where the ids equal those that were read last, the same array is given. */
  recent?: RecentIds<SampleIds> | undefined;
  column?: string;
}

/**
 * Reads one id for each of `rows` rows, of any text or integer type of Arrow, dictionary-encoded or not. Sample ids that are
 * times come in their canonical form.
 */
export function readIds(table: Table, name: string, rows: number, options: ReadOptions = {}): SampleIds {
  const { recent, column = SAMPLE } = options;
  const vector = onlyColumn(table, column, name);
  const sampleType = typeOfIds(vector.type);
  if (!sampleType) {
    const rule = `column ${column} must be utf8 or int64`;
    throw new F3Error('F3_BUNDLE_COLUMN', `${name}: ${rule}, got ${vector.type}; cast the ids to one of the two`);
  }
  if (vector.length !== rows) {
    throw new F3Error(
      'F3_BUNDLE_COUNT',
      `${name}: column ${column} must have one id per row (${rows}), got ${vector.length}`,
    );
  }
  const read = () => ({ samples: readVector(table, column, vector, sampleType, name), sampleType });
  return recent ? recent.recall(vector, read) : read();
}

function readVector(table: Table, column: string, vector: Vector, sampleType: SampleType, name: string): string[] {
  checkTexts(vector, column, name);
  const texts = DataType.isUtf8(vector.type) && readTexts(table, column); // this is fast, and gives undefined where there are nulls
  return Array.from(texts || vector, (id: unknown, row) => {
    if (id === null || id === undefined) {
      throw new F3Error('F3_BUNDLE_COLUMN', `${name}: column ${column} must have no nulls, got one in row ${row + 1}`);
    }
    const sample = readId(String(id), sampleType, name, row);
    return column === SAMPLE ? sample : String(id);
  });
}

/** A sample id as every owner writes it. Throws unless the text may be one. */
export function readId(text: string, sampleType: SampleType, name: string, row: number): string {
  if (!isSampleId(text, sampleType)) throw idError(name, row, sampleType, text);
  return sampleType === 'text' ? canonicalSampleId(text) : text;
}

/** Undefined for a type that ids cannot have. */
export function typeOfIds(type: DataType): SampleType | undefined {
  if (DataType.isDictionary(type)) return typeOfIds(type.dictionary);
  if (DataType.isInt(type)) return 'integer';
  return DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type) ? 'text' : undefined;
}

/** Offsets that run backwards would unfold a small file into texts without end, and one below zero reads from elsewhere. */
export function checkTexts(vector: Vector, column: string, name: string): void {
  for (const data of vector.data) checkOffsets(data, column, name);
}

function checkOffsets(data: Data, column: string, name: string): void {
  if (DataType.isDictionary(data.type)) {
    for (const part of data.dictionary?.data ?? []) checkOffsets(part, column, name);
  }
  if (!DataType.isUtf8(data.type) && !DataType.isLargeUtf8(data.type)) return;
  const { valueOffsets, values, length } = data as Data<Utf8>;
  let last = 0;
  for (let row = 0; row <= length; row++) {
    // No rows may have no offsets.
    const next = Number(valueOffsets[row] ?? (length === 0 ? 0 : -1));
    if (!(next >= last && next <= values.length)) {
      throw new F3Error(
        'F3_BUNDLE_FORMAT',
        `${name}: column ${column} must have ascending offsets, got ${next} (row ${row})`,
      );
    }
    last = next;
  }
}

function idError(name: string, row: number, sampleType: SampleType, sample: string): F3Error {
  const rule =
    sampleType === 'text'
      ? `at most ${MAX_ID_BYTES} bytes of UTF-8 without control or replacement characters`
      : 'a whole number of 64 bits';
  const found = sample.length > 40 ? `${sample.slice(0, 40)}… of ${sample.length} characters` : JSON.stringify(sample);
  return new F3Error('F3_BUNDLE_ID', `${name}: sample id must be ${rule}, got ${found} (row ${row + 1})`);
}
