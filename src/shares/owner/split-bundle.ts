// [owner] Splits a bundle's embeddings into one share per entity, commits to each, and keeps all of it on disk until every entity has its own.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../base/sha256.ts';
import { writeWholeFile } from '../../base/whole-file.ts';
import { Engine } from '../../core/engine/engine.ts';
import { F3Error } from '../../errors.ts';
import type { Bundle } from '../../exchange/bundle/bundle.ts';
import type { KeyPair } from '../../exchange/identity/key-pair.ts';
import { type Charter, charterFingerprint } from '../charter.ts';
import { Field } from '../field.ts';
import { toFixedPoint } from '../fixed-point.ts';
import { Scheme } from '../scheme.ts';
import {
  manifestRoot,
  SALT_BYTES,
  type StatedCoding,
  samplesCommitment,
  shareCommitment,
  signManifest,
} from '../share-manifest.ts';
import { splitNumbers } from '../split-numbers.ts';

/** A bundle in shares, ready to be sent: what is sent again is the same to the last byte. */
export interface SplitBundle {
  /** The owner's signed manifest. */
  statement: string;
  root: string;
  version: number;
  /** Opens the commitment to the sample ids, for the coordinator. */
  samplesSalt: Uint8Array;
  /** Of each entity, entity 1 first. */
  shares: { salt: Uint8Array; bytes: Uint8Array }[];
}

interface Kept {
  statement: string;
  version: number;
  samplesSalt: string;
  salts: string[];
}

/** Splits with randomness of node:crypto. Nothing is written. `coding` is stated where the numbers are codes. */
export async function splitBundle(
  bundle: Pick<Bundle, 'owner' | 'samples' | 'width' | 'embeddings'>,
  charter: Charter,
  version: number,
  keys: KeyPair,
  coding?: StatedCoding | undefined,
): Promise<SplitBundle> {
  const { owner, samples, width, embeddings } = bundle;
  const scheme = new Scheme(charter.threshold, charter.entities.length);
  const numbers = toFixedPoint(embeddings, `bundle of ${owner}`);
  const engine = new Engine({ threads: 1 });
  try {
    const about = { charter: charterFingerprint(charter), owner, version };
    const shares = splitNumbers(new Field(engine), scheme, numbers).map((bytes) => ({
      salt: randomBytes(SALT_BYTES),
      bytes,
    }));
    const samplesSalt = randomBytes(SALT_BYTES);
    const statement = signManifest(keys, {
      ...about,
      rows: samples.length,
      width,
      ...(coding && { coding }),
      samples: samplesCommitment(about, samplesSalt, samples),
      commitments: shares.map(({ salt, bytes }, i) => shareCommitment(about, i + 1, salt, bytes)),
    });
    return { statement, root: manifestRoot(statement), version, samplesSalt, shares };
  } finally {
    await engine.dispose();
  }
}

/** Shares of bundles that are on their way, in the owner's own folder. They are as secret as the embeddings. */
export class SplitShelf {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What was split before and not yet forgotten, by the hash of the bundle. */
  find(bundle: string): SplitBundle | undefined {
    const folder = join(this.#folder, bundle);
    if (!existsSync(join(folder, 'split.json'))) return undefined;
    const { statement, version, samplesSalt, salts } = JSON.parse(
      readFileSync(join(folder, 'split.json'), 'utf8'),
    ) as Kept;
    const shares = salts.map((salt, i) => ({
      salt: Buffer.from(salt, 'base64url'),
      bytes: readFileSync(join(folder, `share-${i + 1}`)),
    }));
    return {
      statement,
      root: manifestRoot(statement),
      version,
      samplesSalt: Buffer.from(samplesSalt, 'base64url'),
      shares,
    };
  }

  /** `split.json` is written last, so a split that was interrupted is made anew. */
  keep(bundle: string, { statement, version, samplesSalt, shares }: SplitBundle): void {
    const folder = join(this.#folder, bundle);
    rmSync(folder, { recursive: true, force: true });
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      for (const [i, { bytes }] of shares.entries()) {
        writeFileSync(join(folder, `share-${i + 1}`), bytes, { mode: 0o600, flush: true });
      }
    } catch (cause) {
      throw new F3Error('F3_HOME', `${folder}: must be writable, got ${(cause as Error).message}`, { cause });
    }
    const salts = shares.map(({ salt }) => Buffer.from(salt).toString('base64url'));
    const kept: Kept = { statement, version, samplesSalt: Buffer.from(samplesSalt).toString('base64url'), salts };
    writeWholeFile(join(folder, 'split.json'), JSON.stringify(kept));
  }

  /** All entities have their shares, or the split is of no use any more. */
  forget(bundle: string): void {
    rmSync(join(this.#folder, bundle), { recursive: true, force: true });
  }
}

/** Names a bundle on the shelf, in its codes if it has any. */
export const bundleHash = (bytes: Uint8Array, coding?: StatedCoding): string => sha256(bytes, coding?.id ?? '');
