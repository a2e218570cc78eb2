// [owner] [coordinator] What an owner tells the coordinator of a bundle that lies in shares: its sample ids, and what it signed. No number of it.
import { z } from 'zod';
import { F3Error } from '../errors.ts';
import { type Bundle, decodeBundle, encodeBundle } from '../exchange/bundle/bundle.ts';
import type { SplitBundle } from './owner/split-bundle.ts';
import { manifestRoot, readManifest, type ShareManifest, samplesCommitment } from './share-manifest.ts';

const noteSchema = z.strictObject({ manifest: z.string(), salt: z.string().regex(/^[\w-]{43}$/) });
/** Row numbers are kept as floats of 32 bits, which are whole up to here. */
const MOST_ROWS = 2 ** 24;

/** A shared bundle, as the coordinator knows it. */
export interface Announced {
  manifest: ShareManifest;
  root: string;
  /** Ids, and the row of each in the shares in place of an embedding. */
  bundle: Bundle;
}

/** An Arrow file like any bundle, in which an embedding is one number: its row in the shares. */
export function encodeAnnouncement(
  bundle: Pick<
    Bundle,
    'owner' | 'samples' | 'sampleType' | 'model' | 'objective' | 'created' | 'pseudonyms' | 'privacy'
  >,
  { statement, samplesSalt }: Pick<SplitBundle, 'statement' | 'samplesSalt'>,
): Uint8Array {
  const { owner, samples, sampleType, model, objective, created, pseudonyms, privacy } = bundle;
  requireRows(owner, samples.length);
  const note = { manifest: statement, salt: Buffer.from(samplesSalt).toString('base64url') };
  return encodeBundle({
    owner,
    samples,
    sampleType,
    width: 1,
    embeddings: Float32Array.from(samples, (_, row) => row),
    ...(model !== undefined && { model }),
    ...(objective !== undefined && { objective }),
    ...(created !== undefined && { created }),
    ...(pseudonyms !== undefined && { pseudonyms }),
    ...(privacy !== undefined && { privacy }),
    shares: JSON.stringify(note),
  });
}

/** Checks that the owner signed it, for this charter, with these sample ids. */
export async function readAnnouncement(
  bytes: Uint8Array,
  name: string,
  expected: { charter: string; owner: string; keyId: string; entities: number },
): Promise<Announced> {
  const { bundle, statement, salt } = decodeAnnouncement(bytes, name);
  const { samples, owner } = bundle;
  const manifest = await readManifest(statement, expected);
  requireRows(owner, samples.length);
  if (manifest.rows !== samples.length || samplesCommitment(manifest, salt, samples) !== manifest.samples) {
    const rule = `must name the ${manifest.rows} samples that its owner signed`;
    throw new F3Error('F3_SHARES_COMMITMENT', `${name}: ${rule}, got ${samples.length} others`);
  }
  return { manifest, root: manifestRoot(statement), bundle };
}

/** What was checked when it came, once more from the store. */
export function decodeAnnouncement(
  bytes: Uint8Array,
  name: string,
): { bundle: Bundle; statement: string; salt: Uint8Array } {
  const { shares, ...bundle } = decodeBundle(bytes, name);
  if (shares === undefined) {
    const rule = 'embeddings must be sent in shares to the entities, and to nobody else';
    throw new F3Error('F3_SHARES_ONLY', `${name}: ${rule}, got embeddings`);
  }
  const isNumbered = bundle.width === 1 && !bundle.probabilities && bundle.embeddings.every((row, i) => row === i);
  const { data } = noteSchema.safeParse(parsed(shares));
  if (!data || !isNumbered) {
    throw new F3Error('F3_SHARES_BUNDLE', `${name}: must be the announcement of a shared bundle as f3 makes it`);
  }
  return { bundle, statement: data.manifest, salt: Buffer.from(data.salt, 'base64url') };
}

function requireRows(owner: string, rows: number): void {
  if (rows <= MOST_ROWS) return;
  throw new F3Error(
    'F3_SHARES_BUNDLE',
    `shared bundle of ${owner}: must have at most ${MOST_ROWS} samples, got ${rows}`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
