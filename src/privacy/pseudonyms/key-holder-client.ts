// [owner] Asks the key holder: for its public key, to be let in with a code, and for the evaluation of blinded ids.
import { errorCode, F3Error } from '../../errors.ts';
import { Connection, type ConnectionOptions } from '../../exchange/client/connection.ts';
import type { KeyPair } from '../../exchange/identity/key-pair.ts';
import { ELEMENT_BYTES, type EvaluatedIds, PROOF_BYTES } from './oprf.ts';

/** The name of the suite, which a key holder states. */
export const SUITE = 'RFC 9497 VOPRF ristretto255-SHA512';

/** What answers need at most, with room to spare: key and name, or a proof; and each evaluated id, 43 characters in base64url. */
const MOST_BYTES = { answer: 16 * 1024, perId: 128 };

/** GET /v1/key */
export interface KeyHolderFacts {
  suite: string;
  /** 64 hexadecimal digits. */
  publicKey: string;
  /** Most ids in one request. */
  batch: number;
  /** Most ids of one member in a day (UTC). */
  idsPerDay: number;
}

export class KeyHolderClient {
  readonly connection: Connection;
  readonly #keys: KeyPair;

  constructor(options: ConnectionOptions & { keys: KeyPair }) {
    this.#keys = options.keys;
    this.connection = new Connection({ peer: 'key holder', ...options });
  }

  async facts(): Promise<KeyHolderFacts> {
    const facts = fieldsOf(await this.#ask('GET', '/v1/key')) as unknown as KeyHolderFacts;
    const isKey = typeof facts.publicKey === 'string' && /^[0-9a-f]{64}$/.test(facts.publicKey);
    const isSound = isKey && Number.isInteger(facts.batch) && facts.batch > 0;
    if (isSound && facts.suite === SUITE) return facts;
    throw this.#unexpected(`must state the suite ${SUITE}, its key and its batch, got something else`);
  }

  /** Makes the key holder know our key, with the code that it gave us. */
  async join(code: string): Promise<void> {
    await this.#ask('POST', '/v1/join', { code, publicKey: this.#keys.publicKey });
  }

  async evaluate(blinded: readonly Uint8Array[]): Promise<EvaluatedIds> {
    const body = { blinded: blinded.map(base64) };
    const { evaluated, proof } = fieldsOf(await this.#ask('POST', '/v1/evaluate', body, blinded.length));
    const elements = Array.isArray(evaluated) ? evaluated.map((text) => bytesOf(text, ELEMENT_BYTES)) : [];
    const proven = bytesOf(proof, PROOF_BYTES);
    if (elements.length === blinded.length && elements.every((one) => one !== undefined) && proven) {
      return { evaluated: elements as Uint8Array[], proof: proven };
    }
    throw this.#unexpected(`must evaluate all ${blinded.length} ids and prove it, got something else`);
  }

  /** An answer that is longer than one for so many ids can be is not read to its end. */
  #ask(method: string, path: string, body?: unknown, ids = 0): Promise<unknown> {
    const mostAnswerBytes = MOST_BYTES.answer + ids * MOST_BYTES.perId;
    return this.connection.json(method, path, body, { mostAnswerBytes }).catch((error: unknown) => {
      const code = errorCode(error);
      // A clock that is compared must be the right one: the coordinator refuses tokens in the same words.
      if (code !== 'F3_AUTH_EXPIRED') throw error;
      throw new F3Error(code, `key holder ${this.connection.origin}: ${(error as Error).message}`, { cause: error });
    });
  }

  #unexpected(rule: string): F3Error {
    return new F3Error('F3_CLIENT_RESPONSE', `key holder ${this.connection.origin}: ${rule}`);
  }
}

/** `null` is JSON, too, and has no fields. */
const fieldsOf = (answer: unknown): Record<string, unknown> => (answer ?? {}) as Record<string, unknown>;

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/** Undefined for anything but the base64url of so many bytes. */
export function bytesOf(text: unknown, bytes: number): Uint8Array | undefined {
  if (typeof text !== 'string') return undefined;
  const found = Buffer.from(text, 'base64url');
  return found.length === bytes && base64(found) === text ? new Uint8Array(found) : undefined;
}
