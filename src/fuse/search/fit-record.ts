// [coordinator] A fit that a search or an ensemble has finished, as bytes: what it was, how it did on validation, and its weights.
// Whoever keeps them repeats no fit.
import { F3Error } from '../../errors.ts';
import type { FusionConfig } from '../fusion-config.ts';
import { type EncodedModel, parseFusedCard } from '../model/fused-card.ts';

/** A fit, done or failed. */
export type FitRecord = DoneFit | FailedFit;

/** A model and what it says about the validation part. */
export interface DoneFit {
  kind: 'done';
  config: FusionConfig;
  model: EncodedModel;
  /** Per situation [validation sample, class], see `ABSENT_SHARES`. */
  validation: Float64Array[];
  seconds: number;
}

/** A fit that came to nothing by itself, as when its loss became infinite. */
export interface FailedFit {
  kind: 'failed';
  config: FusionConfig;
  reason: string;
  seconds: number;
}

/** Where finished fits are kept. */
export interface FitStore {
  /** The bytes under that name, if there are any. */
  load(name: string): Uint8Array | undefined;
  /** Keeps a finished fit, whole or not at all. */
  save(name: string, bytes: Uint8Array<ArrayBuffer>): void;
}

interface Header {
  format: typeof FORMAT;
  /** What was learned from: a record is of use for nothing else. */
  about: string;
  config: FusionConfig;
  seconds: number;
  reason?: string | undefined;
  card?: EncodedModel['card'] | undefined;
  /** Situations and numbers of each. */
  validation?: [situations: number, numbers: number] | undefined;
}

const FORMAT = 'f3-fit 1';
const LENGTH_BYTES = 4;

/** Length of the header, header as JSON, validation probabilities as float64, weights. */
export function encodeFit(fit: FitRecord, about: string): Uint8Array<ArrayBuffer> {
  const { config, seconds } = fit;
  const done = fit.kind === 'done' ? fit : undefined;
  const header: Header = {
    format: FORMAT,
    about,
    config,
    seconds,
    reason: fit.kind === 'failed' ? fit.reason : undefined,
    card: done?.model.card,
    validation: done && [done.validation.length, done.validation[0]?.length ?? 0],
  };
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(text.length);
  const numbers = (done?.validation ?? []).map(({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer, byteOffset, byteLength),
  );
  const whole = Buffer.concat([length, text, ...numbers, done?.model.weights ?? new Uint8Array()]);
  return new Uint8Array(whole.buffer, whole.byteOffset, whole.byteLength).slice();
}

/** `name` is the record's, for messages. */
export function decodeFit(bytes: Uint8Array, name: string, about: string): FitRecord {
  const { header, rest } = split(bytes, name);
  if (header.about !== about) {
    const rule = 'must be of the same bundles, labels and split, made by the same version of f3';
    throw new F3Error('F3_CHECKPOINT', `${name}: ${rule}; remove it to start anew`);
  }
  const { config, seconds, reason, card, validation } = header;
  if (reason !== undefined) return { kind: 'failed', config, reason, seconds };
  if (!card || !validation) throw broken(name);
  const [situations, count] = validation;
  const size = count * Float64Array.BYTES_PER_ELEMENT;
  if (rest.length < situations * size) throw broken(name);
  const numbers = Array.from({ length: situations }, (_, i) => {
    const own = new Uint8Array(rest.subarray(i * size, (i + 1) * size));
    return new Float64Array(own.buffer);
  });
  const model = {
    card: parseFusedCard(JSON.stringify(card), name),
    weights: new Uint8Array(rest.subarray(situations * size)),
  };
  return { kind: 'done', config, model, validation: numbers, seconds };
}

function split(bytes: Uint8Array, name: string): { header: Header; rest: Uint8Array } {
  try {
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const end = LENGTH_BYTES + view.readUInt32LE(0);
    const header = JSON.parse(view.toString('utf8', LENGTH_BYTES, end)) as Header;
    if (header.format === FORMAT) return { header, rest: bytes.subarray(end) };
  } catch {
    // What is not a record is refused below.
  }
  throw broken(name);
}

const broken = (name: string): F3Error =>
  new F3Error('F3_CHECKPOINT', `${name}: must be a whole record of a fit; remove it to start anew`);
