// [wire] Checks a bundle's values: for errors it is refused, warnings name what is unusual.
import { F3Error } from '../../errors.ts';
import type { Bundle } from './bundle.ts';
import { andMore, type BundleFinding, errorFinding, warningFinding } from './bundle-finding.ts';
import { idFindings } from './check-ids.ts';
import { columnRanges } from './column-ranges.ts';

export type { BundleFinding, BundleWarning } from './bundle-finding.ts';

/** Wide enough for probabilities that went through float16 or were printed with four digits. */
const SUM_TOLERANCE = 1e-3;
/** Far above what a local model's activations reach; such a column would drown the others. */
const LARGE = 1e4;

/**
 * Gives at most one finding of a kind per column: its first place, and how many more there are. `ofIds` holds the findings
 * about sample ids where they are known already.
 */
export function checkBundle(
  bundle: Bundle,
  ofIds: readonly BundleFinding[] = idFindings(bundle.samples, bundle.sampleType),
): BundleFinding[] {
  const findings = [...ofIds, ...errorsOf(bundle), ...warningsOf(bundle)];
  const errorsFirst = (['error', 'warning'] as const).flatMap((level) => findings.filter((one) => one.level === level));
  return errorsFirst.map((finding) => ({ ...finding, message: `bundle ${bundle.owner}: ${finding.message}` }));
}

/** Called for a bundle about to be written or accepted: throws its first error, returns its warnings. */
export function requireSound(bundle: Bundle, ofIds?: readonly BundleFinding[]): BundleFinding[] {
  const findings = checkBundle(bundle, ofIds);
  for (const finding of findings) if (finding.level === 'error') throw new F3Error(finding.code, finding.message);
  return findings;
}

function* errorsOf(bundle: Bundle): Generator<BundleFinding> {
  const { samples, width, embeddings, classes = 1, probabilities = new Float32Array() } = bundle;
  yield* notFinite('embedding', embeddings, width, samples);
  yield* notFinite('probabilities', probabilities, classes, samples);
  const wrong = badProbabilityRows(probabilities, classes);
  if (wrong.length === 0) return;
  const row = Array.from(probabilities.subarray(wrong[0] * classes, (wrong[0] + 1) * classes));
  const found = `${row.join(' + ')} = ${sum(row)} (${place(samples, wrong[0])})${andMore(wrong.length)}`;
  yield errorFinding('F3_BUNDLE_PROBABILITIES', `probabilities must be from 0 to 1 and sum to 1, got ${found}`);
}

function* notFinite(column: string, values: Float32Array, width: number, samples: string[]): Generator<BundleFinding> {
  // This is a plain loop, because a callback per number would take most of the time that reading a bundle takes.
  let bad = 0;
  while (bad < values.length && Number.isFinite(values[bad])) bad++;
  if (bad === values.length) return;
  const count = values.reduce((count, value) => count + (Number.isFinite(value) ? 0 : 1), 0);
  const where = `${place(samples, Math.floor(bad / width))}, column ${bad % width}`;
  yield errorFinding(
    'F3_BUNDLE_NOT_FINITE',
    `${column} must be finite, got ${values[bad]} (${where})${andMore(count)}`,
  );
}

/** Rows with a number out of range or a sum other than 1; those that are not even finite are reported as such. */
function badProbabilityRows(probabilities: Float32Array, classes: number): number[] {
  const rows: number[] = [];
  for (let start = 0; start < probabilities.length; start += classes) {
    let total = 0;
    let inRange = true;
    for (let at = start; at < start + classes; at++) {
      total += probabilities[at];
      inRange &&= probabilities[at] >= -SUM_TOLERANCE && probabilities[at] <= 1 + SUM_TOLERANCE;
    }
    if (inRange && Math.abs(total - 1) <= SUM_TOLERANCE) continue;
    if (probabilities.subarray(start, start + classes).every(Number.isFinite)) rows.push(start / classes);
  }
  return rows;
}

function* warningsOf({ samples, width, embeddings }: Bundle): Generator<BundleFinding> {
  const ranges = columnRanges(embeddings, width);
  const constant = ranges.flatMap(({ min, max }, column) => (min === max ? [column] : []));
  if (samples.length > 1 && constant.length > 0) {
    yield warningFinding(
      'constant-column',
      `embedding never changes in ${constant.length} of ${width} columns: ${few(constant)}`,
    );
  }
  const zero = samples.filter((_, row) => isZero(embeddings, row * width, (row + 1) * width));
  if (zero.length > 0) {
    const found = `sample ${zero[0]}${andMore(zero.length)}`;
    yield warningFinding(
      'zero-row',
      `embedding is all zero; a sample that the owner did not see must have no row: ${found}`,
    );
  }
  const large = ranges.flatMap(({ min, max }, column) => (isLarge(Math.max(-min, max)) ? [column] : []));
  if (large.length > 0) {
    yield warningFinding(
      'large-value',
      `embedding exceeds ±${LARGE} in ${large.length} of ${width} columns: ${few(large)}`,
    );
  }
}

const place = (samples: string[], row: number): string => `row ${row + 1}, sample ${samples[row]}`;
const few = (columns: number[]): string => `${columns.slice(0, 8).join(', ')}${columns.length > 8 ? ', …' : ''}`;
const isLarge = (value: number): boolean => value > LARGE && value < Number.POSITIVE_INFINITY;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function isZero(values: Float32Array, start: number, end: number): boolean {
  let at = start;
  while (at < end && values[at] === 0) at++;
  return at === end;
}
