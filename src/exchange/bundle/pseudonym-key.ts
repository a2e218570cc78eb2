// [wire] Where bundles and labels state under which key their sample ids are pseudonyms.
import type { Table } from 'apache-arrow';
import { F3Error } from '../../errors.ts';

/** The schema's metadata hold the key holder's public key under this name. */
export const PSEUDONYMS_KEY = 'f3.pseudonyms';

/** Undefined where ids are the owner's own. */
export function readPseudonymKey(table: Pick<Table, 'schema'>, name: string): string | undefined {
  const key = table.schema.metadata.get(PSEUDONYMS_KEY);
  if (key === undefined || /^[0-9a-f]{64}$/.test(key)) return key;
  const rule = `${PSEUDONYMS_KEY} must be a public key of 64 hexadecimal digits`;
  throw new F3Error('F3_BUNDLE_FORMAT', `${name}: ${rule}, got ${JSON.stringify(key.slice(0, 80))}`);
}

/** Samples of two sources match only if both hold plain ids, or pseudonyms under one key. */
export function requireSameKey(
  name: string,
  found: string | undefined,
  wanted: { key: string | undefined; of: string },
): void {
  if (found === wanted.key) return;
  const words = (key: string | undefined) => (key === undefined ? 'plain ids' : `pseudonyms under ${key.slice(0, 8)}…`);
  const rule = `sample ids must be ${words(wanted.key)} as those of ${wanted.of}`;
  throw new F3Error('F3_PSEUDONYM_KEY', `${name}: ${rule}, got ${words(found)}`);
}
