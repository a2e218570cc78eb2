// [owner] Noise that belongs to an embedding. The same embedding of the same sample gets the same noise whenever and in whatever bundle it
// leaves, because two drawings could be averaged. It comes from a key that stays in the owner's folder: HMAC-SHA256, then AES-256-CTR.
import { createCipheriv, createHmac, randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unwritable } from '../../base/unwritable.ts';
import { F3Error } from '../../errors.ts';
import { canonicalSampleId } from '../../exchange/bundle/canonical-time.ts';
import { type NoiseOptions, noiseEmbeddings } from './noise-embeddings.ts';
import { type SecretDraw, secretNumbers } from './secret-numbers.ts';

const KEY_FILE = 'noise.key';
/** Bytes that a row draws at a time: an embedding of 16 numbers needs about one and a half thousand. */
const BLOCK = 2048;
/** Digits of a row's name in the list of what was paid for: 128 bits. */
const NAME_DIGITS = 32;

/** Embeddings under noise, and what names each of them. */
export interface NoisedRows {
  /** [sample, d] */
  embeddings: Float32Array;
  /** [sample]: the same for the same embedding of the same sample under the same noise and key, and for nothing else */
  rows: string[];
}

/** An owner's own noise. */
export class NoiseKey {
  readonly #key: Buffer;

  private constructor(key: Buffer) {
    this.#key = key;
  }

  /** Makes the key at the first use. Whoever loses it gets other noise, under other names, and pays again. */
  static open(folder: string): NoiseKey {
    const file = join(folder, KEY_FILE);
    if (!existsSync(file)) makeKey(folder, file);
    const digits = readFileSync(file, 'utf8').trim();
    if (/^[0-9a-f]{64}$/.test(digits)) return new NoiseKey(Buffer.from(digits, 'hex'));
    throw new F3Error('F3_HOME', `noise key ${file}: must be 64 hexadecimal digits, got something else`);
  }

  /** `embeddings`: [sample, d] with d = `width` */
  noise(samples: readonly string[], embeddings: Float32Array, width: number, options: NoiseOptions): NoisedRows {
    const noised = new Float32Array(embeddings.length);
    const rows = samples.map((sample, i) => {
      const embedding = embeddings.subarray(i * width, (i + 1) * width);
      const name = this.#digest('row', JSON.stringify([canonicalSampleId(sample), width, options.clip, options.noise]))
        .update(new Uint8Array(embedding.buffer, embedding.byteOffset, embedding.byteLength))
        .digest('hex');
      noised.set(noiseEmbeddings(embedding, width, options, this.#draw(name)).embeddings, i * width);
      return name.slice(0, NAME_DIGITS);
    });
    return { embeddings: noised, rows };
  }

  #digest(purpose: string, text: string) {
    return createHmac('sha256', this.#key).update(`${purpose}\n${text}\n`);
  }

  #draw(name: string): SecretDraw {
    const stream = createCipheriv('aes-256-ctr', this.#digest('noise', name).digest(), Buffer.alloc(16));
    const zeros = Buffer.alloc(BLOCK);
    return secretNumbers((block) => void stream.update(zeros).copy(block), BLOCK);
  }
}

function makeKey(folder: string, file: string): void {
  const fresh = join(folder, `.${randomBytes(6).toString('hex')}.tmp`);
  try {
    writeFileSync(fresh, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flush: true });
    linkSync(fresh, file); // unlike a rename, a link does not replace a key that another process has just made
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(`noise key ${file}`, cause, 'F3_HOME');
  } finally {
    rmSync(fresh, { force: true });
  }
}
