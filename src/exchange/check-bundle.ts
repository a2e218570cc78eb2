// [wire] What is wrong with a bundle's values (errors), and what is odd about them (warnings).
import { type ErrorCode, F3Error } from '../errors.ts';
import type { Bundle } from './bundle.ts';
import { columnRanges } from './column-ranges.ts';

export type BundleFinding =
  | { level: 'error'; code: ErrorCode; message: string }
  | { level: 'warning'; code: BundleWarning; message: string };

export type BundleWarning =
  | 'constant-column'
  | 'integer-ids'
  | 'large-value'
  | 'no-common-sample'
  | 'owner-twice'
  | 'padded-id'
  | 'zero-row';

/** Wide enough for probabilities that went through float16 or were printed with four digits. */
const SUM_TOLERANCE = 1e-3;
/** Far above what a local model's activations reach; such a column would drown the others. */
const LARGE = 1e4;

/** At most one finding of a kind per column: its first place, and how many more there are. */
export function checkBundle(bundle: Bundle): BundleFinding[] {
  return [...errorsOf(bundle), ...warningsOf(bundle)].map((finding) => ({
    ...finding,
    message: `bundle ${bundle.owner}: ${finding.message}`,
  }));
}

/** For a bundle about to be written or accepted: throws its first error, returns its warnings. */
export function requireSound(bundle: Bundle): BundleFinding[] {
  const findings = checkBundle(bundle);
  for (const finding of findings) if (finding.level === 'error') throw new F3Error(finding.code, finding.message);
  return findings;
}

function* errorsOf(bundle: Bundle): Generator<BundleFinding> {
  const { samples, width, embeddings, classes = 1, probabilities = new Float32Array() } = bundle;
  if (samples.length === 0) yield error('F3_BUNDLE_EMPTY', 'must have at least one sample, got none');
  const empty = samples.indexOf('');
  if (empty >= 0) yield error('F3_BUNDLE_ID', `sample ids must not be empty, got an empty one in row ${empty + 1}`);
  const twice = repeatedRows(samples);
  if (twice.length > 0) {
    const [row] = twice;
    const found = `${samples[row]} in rows ${samples.indexOf(samples[row]) + 1} and ${row + 1}${more(twice.length)}`;
    yield error('F3_BUNDLE_DUPLICATE', `every sample must occur once, got ${found}`);
  }
  yield* notFinite('embedding', embeddings, width, samples);
  yield* notFinite('probabilities', probabilities, classes, samples);
  const wrong = badProbabilityRows(probabilities, classes);
  if (wrong.length === 0) return;
  const row = Array.from(probabilities.subarray(wrong[0] * classes, (wrong[0] + 1) * classes));
  const found = `${row.join(' + ')} = ${sum(row)} (${place(samples, wrong[0])})${more(wrong.length)}`;
  yield error('F3_BUNDLE_PROBABILITIES', `probabilities must be from 0 to 1 and sum to 1, got ${found}`);
}

function* notFinite(column: string, values: Float32Array, width: number, samples: string[]): Generator<BundleFinding> {
  const bad = values.findIndex((value) => !Number.isFinite(value));
  if (bad < 0) return;
  const count = values.reduce((count, value) => count + (Number.isFinite(value) ? 0 : 1), 0);
  const where = `${place(samples, Math.floor(bad / width))}, column ${bad % width}`;
  yield error('F3_BUNDLE_NOT_FINITE', `${column} must be finite, got ${values[bad]} (${where})${more(count)}`);
}

function repeatedRows(samples: string[]): number[] {
  const seen = new Set<string>();
  return samples.flatMap((sample, row) => {
    if (seen.has(sample)) return [row];
    seen.add(sample);
    return [];
  });
}

/** Rows with a number out of range or a sum other than 1; those that are not even finite are reported as such. */
function badProbabilityRows(probabilities: Float32Array, classes: number): number[] {
  const rows: number[] = [];
  for (let row = 0; row < probabilities.length / classes; row++) {
    const values = probabilities.subarray(row * classes, (row + 1) * classes);
    const inRange = values.every((value) => value >= -SUM_TOLERANCE && value <= 1 + SUM_TOLERANCE);
    if (inRange && Math.abs(sum(values) - 1) <= SUM_TOLERANCE) continue;
    if (values.every(Number.isFinite)) rows.push(row);
  }
  return rows;
}

function* warningsOf({ samples, sampleType, width, embeddings }: Bundle): Generator<BundleFinding> {
  if (sampleType === 'integer') {
    yield warning('integer-ids', 'sample ids are integers, which match only bundles whose ids are integers too');
  }
  const padded = samples.filter((sample) => sample !== sample.trim());
  if (padded.length > 0) {
    const found = `${JSON.stringify(padded[0])}${more(padded.length)}`;
    yield warning('padded-id', `sample ids begin or end with white space, which counts when ids are matched: ${found}`);
  }
  const ranges = columnRanges(embeddings, width);
  const constant = ranges.flatMap(({ min, max }, column) => (min === max ? [column] : []));
  if (samples.length > 1 && constant.length > 0) {
    yield warning(
      'constant-column',
      `embedding never changes in ${constant.length} of ${width} columns: ${few(constant)}`,
    );
  }
  const zero = samples.filter((_, row) => isZero(embeddings.subarray(row * width, (row + 1) * width)));
  if (zero.length > 0) {
    const found = `sample ${zero[0]}${more(zero.length)}`;
    yield warning('zero-row', `embedding is all zero; a sample that the owner did not see must have no row: ${found}`);
  }
  const large = ranges.flatMap(({ min, max }, column) => (isLarge(Math.max(-min, max)) ? [column] : []));
  if (large.length > 0) {
    yield warning('large-value', `embedding exceeds ±${LARGE} in ${large.length} of ${width} columns: ${few(large)}`);
  }
}

const error = (code: ErrorCode, message: string): BundleFinding => ({ level: 'error', code, message });
const warning = (code: BundleWarning, message: string): BundleFinding => ({ level: 'warning', code, message });
const place = (samples: string[], row: number): string => `row ${row + 1}, sample ${samples[row]}`;
const more = (count: number): string => (count > 1 ? ` and ${count - 1} more` : '');
const few = (columns: number[]): string => `${columns.slice(0, 8).join(', ')}${columns.length > 8 ? ', …' : ''}`;
const isLarge = (value: number): boolean => value > LARGE && value < Number.POSITIVE_INFINITY;
const isZero = (values: Float32Array): boolean => values.every((value) => value === 0);
const sum = (values: ArrayLike<number> & Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};
