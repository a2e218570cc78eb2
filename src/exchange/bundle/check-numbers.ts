// [wire] Checks the numbers of a bundle's columns row by row: finite embeddings, probabilities that sum to 1, unusual columns.
import type { BundleCard } from './bundle.ts';
import { andMore, type BundleFinding, errorFinding, warningFinding } from './bundle-finding.ts';
import { parsePrivacyNote } from './privacy-note.ts';

/** Wide enough for probabilities that went through float16 or were printed with four digits. */
const SUM_TOLERANCE = 1e-3;
/** Far above what a local model's activations reach; such a column would drown the others. */
const LARGE = 1e4;

type TextOf = (row: number) => string;

/** Finds numbers of a column that are not finite. */
class FiniteChecks {
  readonly #column: string;
  #first: { row: number; column: number; value: number } | undefined;
  #count = 0;

  constructor(column: string) {
    this.#column = column;
  }

  note(row: number, column: number, value: number): void {
    this.#first ??= { row, column, value };
    this.#count++;
  }

  get row(): number | undefined {
    return this.#first?.row;
  }

  *errors(textOf: TextOf): Generator<BundleFinding> {
    if (!this.#first) return;
    const { row, column, value } = this.#first;
    const found = `${value} (${place(textOf, row)}, column ${column})${andMore(this.#count)}`;
    yield errorFinding('F3_BUNDLE_NOT_FINITE', `${this.#column} must be finite, got ${found}`);
  }
}

/** Takes embeddings in the order of their rows and keeps two numbers per column. */
export class EmbeddingChecks {
  readonly #width: number;
  /** Whether the owner states that answers were sent. The middle of an odd number of levels is 0. */
  readonly #areAnswers: boolean;
  readonly #min: Float64Array;
  readonly #max: Float64Array;
  readonly #finite = new FiniteChecks('embedding');
  #rows = 0;
  #zero: number | undefined;
  #zeroCount = 0;

  constructor({ width, privacy = '' }: Pick<BundleCard, 'width' | 'privacy'>) {
    this.#width = width;
    this.#areAnswers = parsePrivacyNote(privacy)?.answers !== undefined;
    this.#min = new Float64Array(width).fill(Number.POSITIVE_INFINITY);
    this.#max = new Float64Array(width).fill(Number.NEGATIVE_INFINITY);
  }

  /** `values`: [row, width], whole rows */
  add(values: Float32Array): void {
    const [min, max, width] = [this.#min, this.#max, this.#width];
    // These are plain loops, because a callback per number would take most of the time that reading a bundle takes.
    for (let start = 0; start < values.length; start += width) {
      let isZero = true;
      for (let column = 0; column < width; column++) {
        const value = values[start + column];
        if (value !== 0) isZero = false;
        if (value < min[column]) min[column] = value;
        if (value > max[column]) max[column] = value;
        if (value - value !== 0) this.#noteBad(column, value);
      }
      if (isZero) this.#noteZero();
      this.#rows++;
    }
  }

  /** Rows whose ids `errors` and `warnings` will ask for. */
  suspects(): number[] {
    return [this.#finite.row, this.#zero].filter((row) => row !== undefined);
  }

  errors(textOf: TextOf): Generator<BundleFinding> {
    return this.#finite.errors(textOf);
  }

  *warnings(textOf: TextOf): Generator<BundleFinding> {
    const [min, max, width] = [this.#min, this.#max, this.#width];
    const columns = Array.from(min, (_, column) => column);
    const constant = columns.filter((column) => min[column] === max[column]);
    if (this.#rows > 1 && constant.length > 0) {
      const found = `${constant.length} of ${width} columns: ${few(constant)}`;
      yield warningFinding('constant-column', `embedding never changes in ${found}`);
    }
    if (this.#zero !== undefined && !this.#areAnswers) {
      const rule = 'embedding is all zero; a sample that the owner did not see must have no row';
      yield warningFinding('zero-row', `${rule}: sample ${textOf(this.#zero)}${andMore(this.#zeroCount)}`);
    }
    const large = columns.filter((column) => isLarge(Math.max(-min[column], max[column])));
    if (large.length === 0) return;
    const found = `${large.length} of ${width} columns: ${few(large)}`;
    yield warningFinding('large-value', `embedding exceeds ±${LARGE} in ${found}`);
  }

  /** A column with such a number has no range. */
  #noteBad(column: number, value: number): void {
    this.#finite.note(this.#rows, column, value);
    this.#min[column] = Number.NaN;
    this.#max[column] = Number.NaN;
  }

  #noteZero(): void {
    this.#zero ??= this.#rows;
    this.#zeroCount++;
  }
}

/** Takes class probabilities in the order of their rows. */
export class ProbabilityChecks {
  readonly #classes: number;
  readonly #finite = new FiniteChecks('probabilities');
  #rows = 0;
  #wrong: { row: number; values: number[] } | undefined;
  #wrongCount = 0;

  constructor(classes: number) {
    this.#classes = classes;
  }

  /** `values`: [row, class], whole rows */
  add(values: Float32Array): void {
    for (let start = 0; start < values.length; start += this.#classes) this.#addRow(values, start);
  }

  suspects(): number[] {
    return [this.#finite.row, this.#wrong?.row].filter((row) => row !== undefined);
  }

  *errors(textOf: TextOf): Generator<BundleFinding> {
    yield* this.#finite.errors(textOf);
    if (!this.#wrong) return;
    const { row, values } = this.#wrong;
    const sum = values.reduce((total, value) => total + value, 0);
    const found = `${values.join(' + ')} = ${sum} (${place(textOf, row)})${andMore(this.#wrongCount)}`;
    yield errorFinding('F3_BUNDLE_PROBABILITIES', `probabilities must be from 0 to 1 and sum to 1, got ${found}`);
  }

  #addRow(values: Float32Array, start: number): void {
    const end = start + this.#classes;
    let total = 0;
    let [inRange, allFinite] = [true, true];
    for (let at = start; at < end; at++) {
      const value = values[at];
      total += value;
      inRange &&= value >= -SUM_TOLERANCE && value <= 1 + SUM_TOLERANCE;
      if (value - value === 0) continue;
      allFinite = false;
      this.#finite.note(this.#rows, at - start, value);
    }
    // Rows that are not even finite are reported as such.
    if (allFinite && !(inRange && Math.abs(total - 1) <= SUM_TOLERANCE)) {
      this.#wrong ??= { row: this.#rows, values: Array.from(values.subarray(start, end)) };
      this.#wrongCount++;
    }
    this.#rows++;
  }
}

const place = (textOf: TextOf, row: number): string => `row ${row + 1}, sample ${textOf(row)}`;
const few = (columns: number[]): string => `${columns.slice(0, 8).join(', ')}${columns.length > 8 ? ', …' : ''}`;
const isLarge = (value: number): boolean => value > LARGE && value < Number.POSITIVE_INFINITY;
