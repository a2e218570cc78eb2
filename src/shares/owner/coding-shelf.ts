// [owner] The bins that an owner has coded with, kept in the folder of its membership: what it pushes again or streams later is coded alike.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { sha256 } from '../../base/sha256.ts';
import { writeWholeFile } from '../../base/whole-file.ts';
import { F3Error } from '../../errors.ts';
import type { Bundle } from '../../exchange/bundle/bundle.ts';
import type { StatedCoding } from '../share-manifest.ts';
import { codedBundle, type QuantileCoding, quantileCodingOf } from './quantile-codes.ts';

const FILE = 'codes.json';
const FORMAT = 'f3-codes-1';

const keptSchema = z
  .strictObject({
    /** Of bins, under the salt: what others know them by. */
    id: z.string().regex(/^[0-9a-f]{64}$/),
    salt: z.string(),
    /** The local model whose embeddings were coded, as their bundle stated it; null where it stated none. */
    model: z.string().nullable(),
    width: z.number().int().min(1),
    bins: z.number().int().min(2),
    edges: z.array(z.number()),
  })
  .refine(({ width, bins, edges }) => edges.length === width * (bins + 1));
const fileSchema = z.strictObject({
  format: z.literal(FORMAT),
  /** What is used without being asked for; null: embeddings are shared as they are. */
  bins: z.number().int().min(2).nullable(),
  /** The one that was used last at the end. */
  codings: z.array(keptSchema),
});

/** A coding that was used, with the name that others know it by. */
export type KeptCoding = z.infer<typeof keptSchema>;

/** How a bundle is to be coded. */
export interface CodesRequest {
  bins: number;
  /** Ids of the samples whose quantiles new bins are; by default all of the bundle. */
  training?: Iterable<string> | undefined;
  /** Makes new bins where some are kept already. A model that has learned the old ones is then of no use for what is pushed. */
  anew?: boolean | undefined;
}

/** A bundle of codes, ready to be shared. */
export interface CodedForSharing {
  bundle: Bundle;
  /** What its manifest states. */
  stated: StatedCoding;
  coding: KeptCoding;
  /** Whether bins were made for it. */
  isNew: boolean;
}

/** The codings of one membership. */
export class CodingShelf {
  readonly #file: string;

  constructor(folder: string) {
    this.#file = join(folder, FILE);
  }

  /** Bins that this owner goes on with; undefined where it shares embeddings as they are. */
  get bins(): number | undefined {
    return this.#read().bins ?? undefined;
  }

  /** What is used from now on without being asked for. */
  choose(bins: number | undefined): void {
    const kept = this.#read();
    if (kept.bins !== (bins ?? null)) this.#write({ ...kept, bins: bins ?? null });
  }

  /** Bins are kept before they are used, so that what was interrupted is coded alike when it is sent again. */
  code(bundle: Bundle, { bins, training, anew = false }: CodesRequest): CodedForSharing {
    const kept = this.#read();
    const model = bundle.model ?? null;
    const known = kept.codings.findLast(
      (one) => one.model === model && one.width === bundle.width && one.bins === bins,
    );
    const found = !known || anew ? quantileCodingOf(bundle, training ?? bundle.samples, bins) : known;
    // Bins that come out as before are the same bins, whose id others know.
    const isKnown = known !== undefined && found.edges.every((edge, i) => edge === known.edges[i]);
    const coding = isKnown ? known : named(found, model);
    const others = kept.codings.filter(({ id }) => id !== coding.id);
    this.#write({ ...kept, bins, codings: [...others, coding] });
    const stated = { encoding: 'quantiles' as const, bins, id: coding.id };
    return { bundle: codedBundle(bundle, coding), stated, coding, isNew: coding !== known };
  }

  /** What the last bundle of this model was coded with. */
  used(model: string): KeptCoding {
    const found = this.#read().codings.findLast((one) => one.model === model);
    if (found) return found;
    const rule = `must hold the bins of model ${model.slice(0, 12)}, which pushing a bundle of it makes`;
    throw new F3Error('F3_HOME', `${this.#file}: ${rule}, got none`);
  }

  #read(): z.infer<typeof fileSchema> {
    if (!existsSync(this.#file)) return { format: FORMAT, bins: null, codings: [] };
    const found = parsed(readFileSync(this.#file, 'utf8'));
    const { data } = fileSchema.safeParse(found);
    if (data) return data;
    const format = (found as { format?: unknown } | undefined)?.format;
    const got = typeof format === 'string' && format !== FORMAT ? format : 'something else';
    throw new F3Error('F3_HOME', `${this.#file}: must hold codes as ${FORMAT}, got ${got}`);
  }

  #write(kept: z.infer<typeof fileSchema>): void {
    writeWholeFile(this.#file, `${JSON.stringify(kept)}\n`, this.#file, 'F3_HOME');
  }
}

/** The salt keeps whoever knows the id from trying bins out. */
function named(coding: QuantileCoding, model: string | null): KeptCoding {
  const salt = randomBytes(32).toString('base64url');
  return { id: sha256(salt, JSON.stringify([coding.width, coding.bins, coding.edges])), salt, model, ...coding };
}

/** Codes of one embedding. [d] → [d · bins] */
export function codedEmbedding(embedding: Float32Array, coding: QuantileCoding, owner: string): Float32Array {
  return codedBundle({ owner, samples: [], width: embedding.length, embeddings: embedding }, coding).embeddings;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
