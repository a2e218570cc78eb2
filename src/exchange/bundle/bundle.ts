// [wire] A bundle: what an owner sends, once. Embeddings as Arrow IPC; docs/bundle-format.md in code.
import type { Schema, Table } from 'apache-arrow';
import { encodeArrow, floatListColumn } from '../../base/arrow-table.ts';
import { sha256 } from '../../base/sha256.ts';
import { F3Error } from '../../errors.ts';
import { isPlainText, PLAIN_TEXT_RULE } from '../plain-text.ts';
import { readFloatColumn } from './float-column.ts';
import { isIsoTime } from './iso-time.ts';
import { isOwnerId, OWNER_ID_RULE } from './owner-id.ts';
import { PRIVACY_KEY, readPrivacyNote } from './privacy-note.ts';
import { PSEUDONYMS_KEY, readPseudonymKey } from './pseudonym-key.ts';
import { readArrow } from './read-arrow.ts';
import type { RecentIds } from './recent-ids.ts';
import { idColumn, readIds, type SampleIds, type SampleType } from './sample-ids.ts';

/** The format that a bundle states in its metadata. */
export const BUNDLE_FORMAT = 'f3-bundle';
/** The schema's metadata hold under this name what an owner signed of its shares. */
const SHARES_KEY = 'f3.shares';
/** The version of the format that is written and read. */
export const BUNDLE_VERSION = 1;

/** An owner's embeddings: what it sends, once. */
export interface Bundle {
  /** Id of the owner, which keeps to `OWNER_ID_RULE`. */
  owner: string;
  /** Ids as text, whatever their type. */
  samples: string[];
  /** Whether the ids were texts or whole numbers. */
  sampleType: SampleType;
  /** d, the length of an embedding. */
  width: number;
  /** [sample, d] */
  embeddings: Float32Array;
  /** Length of a row of `probabilities`. */
  classes?: number;
  /** [sample, class]: what the local model predicts, unless the owner withholds it */
  probabilities?: Float32Array;
  /** Hash of the local model's weights file, or free text. */
  model?: string;
  /** What the local model was trained for, as its owner says: `label`, `label+reconstruction` or another text. */
  objective?: string;
  /** ISO 8601 time with its zone. */
  created?: string;
  /** Public key of the key holder whose pseudonyms the ids are; without it they are the owner's own ids. */
  pseudonyms?: string;
  /** What the owner did to its embeddings before it sent them, as JSON: mechanism, strength, ε and δ. */
  privacy?: string;
  /**
   * Where the embeddings lie in shares with entities: what the owner signed of them, as JSON. Then each embedding here is one number, its
   * row in the shares.
   */
  shares?: string;
}

/** The part of a bundle that comes from an owner's arrays or tables, without who made it and when. */
export type BundleContent = Pick<
  Bundle,
  'samples' | 'sampleType' | 'width' | 'embeddings' | 'classes' | 'probabilities'
>;

/** The same bundle gives the same bytes. */
export function encodeBundle(bundle: Bundle): Uint8Array {
  const { owner, samples, sampleType, width, embeddings, classes, probabilities } = bundle;
  const { model, objective, created, pseudonyms, privacy, shares } = bundle;
  const name = `bundle ${owner}`;
  checkCard(bundle, name);
  checkCount(name, 'embeddings', embeddings, samples.length, width);
  if (probabilities) checkCount(name, 'probabilities', probabilities, samples.length, classes ?? 0);
  const metadata = {
    'f3.format': BUNDLE_FORMAT,
    'f3.version': String(BUNDLE_VERSION),
    'f3.owner': owner,
    'f3.width': String(width),
    ...(model !== undefined && { 'f3.model': model }),
    ...(objective !== undefined && { 'f3.objective': objective }),
    ...(created !== undefined && { 'f3.created': created }),
    ...(pseudonyms !== undefined && { [PSEUDONYMS_KEY]: pseudonyms }),
    ...(privacy !== undefined && { [PRIVACY_KEY]: privacy }),
    ...(shares !== undefined && { [SHARES_KEY]: shares }),
  };
  const columns = {
    sample: idColumn(samples, sampleType, name),
    embedding: floatListColumn(embeddings, width),
    ...(probabilities && classes && { probabilities: floatListColumn(probabilities, classes) }),
  };
  return encodeArrow(columns, metadata);
}

/**
 * Parses what any Arrow writer may have produced; `checkBundle` checks the values. `name` stands in error messages. With
 * `recent`, bundles that list the same samples share one array of ids.
 */
export function decodeBundle(bytes: Uint8Array, name: string, recent?: RecentIds<SampleIds>): Bundle {
  return readArrow(bytes, name, (table) => readTable(table, bytes.byteLength, name, recent));
}

function readTable(table: Table, size: number, name: string, recent: RecentIds<SampleIds> | undefined): Bundle {
  checkFormat(table.schema, name);
  const embedding = readFloatColumn(table, 'embedding', name, size);
  const rows = embedding.values.length / embedding.width;
  const { samples, sampleType } = readIds(table, name, rows, { recent });
  const hasProbabilities = table.schema.names.includes('probabilities');
  const probabilities = hasProbabilities ? readFloatColumn(table, 'probabilities', name, size) : undefined;
  if (probabilities) checkCount(name, 'column probabilities', probabilities.values, rows, probabilities.width);
  const card = readCard(table.schema, name, { width: embedding.width, classes: probabilities?.width });
  return {
    ...card,
    samples,
    sampleType,
    embeddings: embedding.values,
    ...(probabilities && { probabilities: probabilities.values }),
  };
}

/** What a bundle says of itself, without its columns. */
export type BundleCard = Pick<
  Bundle,
  'owner' | 'width' | 'classes' | 'model' | 'objective' | 'created' | 'pseudonyms' | 'privacy' | 'shares'
>;

/** Reads the metadata of a schema whose columns have these sizes. */
export function readCard(
  schema: Schema,
  name: string,
  { width, classes }: { width: number; classes: number | undefined },
): BundleCard {
  checkFormat(schema, name);
  const [model, objective, created] = ['f3.model', 'f3.objective', 'f3.created'].map((key) => metadata(schema, key));
  const [pseudonyms, privacy] = [readPseudonymKey({ schema }, name), readPrivacyNote({ schema }, name)];
  const shares = metadata(schema, SHARES_KEY);
  const card: BundleCard = {
    owner: requiredMetadata(schema, 'f3.owner', name),
    width,
    ...(classes !== undefined && { classes }),
    ...(model !== undefined && { model }),
    ...(objective !== undefined && { objective }),
    ...(created !== undefined && { created }),
    ...(pseudonyms !== undefined && { pseudonyms }),
    ...(privacy !== undefined && { privacy }),
    ...(shares !== undefined && { shares }),
  };
  checkCard(card, name);
  const stated = requiredMetadata(schema, 'f3.width', name);
  if (stated === String(width)) return card;
  throw new F3Error('F3_BUNDLE_FORMAT', `${name}: f3.width must be the list size ${width}, got ${stated}`);
}

/** SHA-256 of the file's bytes, as 64 hexadecimal digits. */
export function bundleHash(bytes: Uint8Array): string {
  return sha256(bytes);
}

function checkFormat(schema: Schema, name: string): void {
  const format = metadata(schema, 'f3.format');
  if (format !== BUNDLE_FORMAT) {
    const found = format ?? 'no such key';
    throw new F3Error('F3_BUNDLE_FORMAT', `${name}: schema metadata f3.format must be ${BUNDLE_FORMAT}, got ${found}`);
  }
  const version = requiredMetadata(schema, 'f3.version', name);
  if (version === String(BUNDLE_VERSION)) return;
  const advice = Number(version) > BUNDLE_VERSION ? '; a newer f3 wrote it: update this one' : '';
  throw new F3Error('F3_BUNDLE_VERSION', `${name}: f3.version must be ${BUNDLE_VERSION}, got ${version}${advice}`);
}

function checkCard({ owner, width, classes, model, objective, created }: BundleCard, name: string): void {
  if (!isOwnerId(owner)) {
    throw new F3Error('F3_BUNDLE_OWNER', `${name}: owner id ${OWNER_ID_RULE}, got ${JSON.stringify(owner)}`);
  }
  for (const [thing, size] of Object.entries({ 'embedding width': width, classes })) {
    if (size === undefined || (Number.isInteger(size) && size > 0)) continue;
    throw new F3Error('F3_BUNDLE_COUNT', `${name}: ${thing} must be a whole number from 1, got ${size}`);
  }
  for (const [key, text] of Object.entries({ model, objective })) {
    if (text === undefined || isPlainText(text)) continue;
    const found = JSON.stringify(text.slice(0, 80));
    throw new F3Error('F3_BUNDLE_FORMAT', `${name}: f3.${key} ${PLAIN_TEXT_RULE}, got ${found}`);
  }
  if (created === undefined || isIsoTime(created)) return;
  const rule = 'f3.created must be an ISO 8601 time with its zone such as 2026-05-01T12:00:00Z';
  throw new F3Error('F3_BUNDLE_FORMAT', `${name}: ${rule}, got ${created}`);
}

function checkCount(name: string, column: string, values: Float32Array, rows: number, width: number): void {
  if (values.length === rows * width) return;
  const rule = `${column} must hold ${rows} × ${width} numbers, one row per sample`;
  throw new F3Error('F3_BUNDLE_COUNT', `${name}: ${rule}, got ${values.length}`);
}

const metadata = (schema: Schema, key: string): string | undefined => schema.metadata.get(key);

function requiredMetadata(schema: Schema, key: string, name: string): string {
  const value = metadata(schema, key);
  if (value !== undefined) return value;
  throw new F3Error('F3_BUNDLE_FORMAT', `${name}: schema metadata must have ${key}, got no such key`);
}
