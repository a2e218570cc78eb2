// [owner] Attributes of samples that somebody may be curious about, from a table: a column of sample ids, a column per attribute.
import { columnNumber, columnSql, readColumn } from '../../base/table-columns.ts';
import { TableFile } from '../../base/table-file.ts';
import { F3Error } from '../../errors.ts';
import { canonicalSampleId } from '../../exchange/bundle/canonical-time.ts';

/** What is known of samples under one name; samples that have no value are absent. */
export interface SampleAttribute {
  name: string;
  values: ReadonlyMap<string, string>;
}

/** Column of sample ids. */
const SAMPLE = 'sample';
/** More than this many different numbers are cut into four ranges of equal count; so many different texts are refused. */
const MOST_CLASSES = 20;
const RANGES = 4;

/** Reads the columns of these names, or all but the ids. */
export async function readAttributes(file: string, columns?: readonly string[]): Promise<SampleAttribute[]> {
  const table = await TableFile.open(file);
  try {
    const samples = (await readColumn(table, SAMPLE)).map(canonicalSampleId);
    const names = columns ?? table.columns.map(({ name }) => name).filter((name) => name !== SAMPLE);
    if (names.length === 0) {
      throw new F3Error('F3_DATA_COLUMN', `${file}: must have a column beside ${SAMPLE}, got none`);
    }
    for (const name of names) columnNumber(table, name);
    const attributes: SampleAttribute[] = [];
    for (const name of names) {
      const rows = await table.rows(`SELECT ${columnSql(table, name)}::VARCHAR FROM ${table.relation}`);
      const pairs = rows.flatMap(([cell], i) =>
        typeof cell === 'string' && cell !== '' ? [[samples[i], cell] as const] : [],
      );
      attributes.push({ name, values: new Map(pairs) });
    }
    return attributes;
  } finally {
    table.close();
  }
}

/** [sample]: class numbers, −1 where the attribute is unknown. Numbers of many values become ranges. */
export function attributeClasses({ name, values }: SampleAttribute, samples: readonly string[]): Int32Array {
  const found = samples.map((sample) => values.get(canonicalSampleId(sample)));
  const known = found.filter((value) => value !== undefined);
  const distinct = [...new Set(known)].sort();
  if (distinct.length < 2) {
    const rule = 'must have two different values or more among the samples of the owner';
    throw new F3Error('F3_LEAK_AUDIT', `attribute ${name}: ${rule}, got ${distinct.length}`);
  }
  if (distinct.length <= MOST_CLASSES) {
    return Int32Array.from(found, (value) => (value === undefined ? -1 : distinct.indexOf(value)));
  }
  const numbers = known.map(Number);
  if (!numbers.every(Number.isFinite)) {
    const rule = `must have at most ${MOST_CLASSES} different values, unless they are numbers`;
    throw new F3Error('F3_LEAK_AUDIT', `attribute ${name}: ${rule}, got ${distinct.length}`);
  }
  const sorted = Float64Array.from(numbers).sort();
  const cuts = Array.from({ length: RANGES - 1 }, (_, i) => sorted[Math.floor(((i + 1) * sorted.length) / RANGES)]);
  return Int32Array.from(found, (value) =>
    value === undefined ? -1 : cuts.filter((cut) => Number(value) >= cut).length,
  );
}
