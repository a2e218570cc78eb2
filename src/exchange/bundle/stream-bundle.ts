// [wire] Checks a bundle while it streams, in a few bytes of memory per sample, and says what is in it.
import { F3Error } from '../../errors.ts';
import { type BytesFrom, walkArrow } from './arrow-walk.ts';
import { readBatch } from './batch-reader.ts';
import type { BundleCard } from './bundle.ts';
import { type BundleColumns, bundleColumns, UnusualLayout } from './bundle-columns.ts';
import { type BundleLimits, requireParts, requireRowBytes, requireRows } from './bundle-limits.ts';
import { requireNoError, sortFindings } from './check-bundle.ts';
import { IdChecks } from './check-ids.ts';
import { EmbeddingChecks, ProbabilityChecks } from './check-numbers.ts';
import { readId, type SampleType } from './sample-ids.ts';

/** What a check of a bundle learns about it. */
export interface CheckedBundle {
  /** What it says of itself. */
  card: BundleCard;
  samples: number;
  sampleType: SampleType;
  /** What is unusual about it. */
  warnings: string[];
}

/**
 * Throws the first error of a bundle of `size` bytes, and `UnusualLayout` for one that must be read whole. The bytes are
 * asked for a second time only if a message has to name a sample.
 */
export async function checkBundleStream(
  bytes: BytesFrom,
  size: number,
  name: string,
  limits: BundleLimits,
): Promise<CheckedBundle> {
  const first = new FirstReading(name, limits);
  await walk(bytes, size, name, first);
  const { columns, ids, embeddings, probabilities } = first.result();
  const wanted = [...ids.suspects(), ...embeddings.suspects(), ...(probabilities?.suspects() ?? [])];
  const texts = wanted.length > 0 ? await readTextsOf(bytes, size, name, new Set(wanted)) : new Map();
  const textOf = (row: number): string => texts.get(row) ?? '';
  const findings = sortFindings(columns.card.owner, [
    ...ids.findings(textOf),
    ...embeddings.errors(textOf),
    ...(probabilities?.errors(textOf) ?? []),
    ...embeddings.warnings(textOf),
  ]);
  const warnings = requireNoError(findings).map(({ message }) => message);
  const { sampleType } = columns.ids;
  return { card: columns.card, samples: ids.rows, sampleType, warnings };
}

async function walk(
  bytes: BytesFrom,
  size: number,
  name: string,
  reading: {
    begin(columns: BundleColumns): void;
    batch(rows: number): void;
    onId(id: string): void;
  } & Partial<FirstReading>,
): Promise<void> {
  let columns: BundleColumns | undefined;
  const listener = {
    onId: (id: string) => reading.onId(id),
    onEmbeddings: (values: Float32Array) => reading.onEmbeddings?.(values),
    onProbabilities: (values: Float32Array) => reading.onProbabilities?.(values),
  };
  try {
    await walkArrow(bytes, size, name, {
      onSchema(schema) {
        columns = bundleColumns(schema, name);
        reading.begin(columns);
      },
      async onBatch(stream, header, bodyBytes) {
        reading.batch(header.long(0));
        await readBatch(stream, header, bodyBytes, columns as BundleColumns, name, listener);
      },
    });
  } catch (cause) {
    if (cause instanceof F3Error || cause instanceof UnusualLayout || cause instanceof FoundAll) throw cause;
    const [reason] = (cause as Error).message.split('\n');
    throw new F3Error('F3_BUNDLE_FORMAT', `${name}: must be a sound Arrow IPC file or stream, got ${reason}`, {
      cause,
    });
  }
}

/** Runs all checks. */
class FirstReading {
  readonly #name: string;
  readonly #limits: BundleLimits;
  #columns: BundleColumns | undefined;
  #ids: IdChecks | undefined;
  #embeddings: EmbeddingChecks | undefined;
  #probabilities: ProbabilityChecks | undefined;
  #rows = 0;
  #batches = 0;

  constructor(name: string, limits: BundleLimits) {
    this.#name = name;
    this.#limits = limits;
  }

  begin(columns: BundleColumns): void {
    const { ids, embedding, probabilities } = columns;
    requireRowBytes(this.#name, embedding.width + (probabilities?.width ?? 0), this.#limits);
    this.#columns = columns;
    this.#ids = new IdChecks(ids.sampleType);
    this.#embeddings = new EmbeddingChecks(columns.card);
    this.#probabilities = probabilities && new ProbabilityChecks(probabilities.width);
  }

  batch(rows: number): void {
    this.#rows += rows;
    requireRows(this.#name, this.#rows, this.#limits);
    requireParts(this.#name, ++this.#batches, this.#columns?.columns ?? 1);
  }

  onId(id: string): void {
    const ids = this.#ids as IdChecks;
    ids.add(readId(id, this.#columns?.ids.sampleType as SampleType, this.#name, ids.rows));
  }

  onEmbeddings(values: Float32Array): void {
    this.#embeddings?.add(values);
  }

  onProbabilities(values: Float32Array): void {
    this.#probabilities?.add(values);
  }

  result() {
    const [columns, ids, embeddings] = [this.#columns, this.#ids, this.#embeddings];
    if (!columns || !ids || !embeddings) throw new Error(`${this.#name}: must have been read, got no schema`);
    return { columns, ids, embeddings, probabilities: this.#probabilities };
  }
}

/** Thrown to end a reading that knows all it wanted to know. */
class FoundAll extends Error {}

/** The ids of some rows. */
async function readTextsOf(
  bytes: BytesFrom,
  size: number,
  name: string,
  wanted: ReadonlySet<number>,
): Promise<Map<number, string>> {
  const texts = new Map<number, string>();
  let [row, sampleType]: [number, SampleType] = [0, 'text'];
  const reading = {
    begin: ({ ids }: BundleColumns) => {
      sampleType = ids.sampleType;
    },
    batch: () => undefined,
    onId(id: string) {
      if (wanted.has(row)) texts.set(row, readId(id, sampleType, name, row));
      row++;
      if (texts.size === wanted.size) throw new FoundAll();
    },
  };
  try {
    await walk(bytes, size, name, reading);
  } catch (error) {
    if (!(error instanceof FoundAll)) throw error;
  }
  return texts;
}
