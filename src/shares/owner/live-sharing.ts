// [owner] Sends embeddings of this moment in shares: each entity gets its own over a line that stays open, the coordinator gets a ticket.
import { randomBytes } from 'node:crypto';
import { Engine } from '../../core/engine/engine.ts';
import { errorCode } from '../../errors.ts';
import type { KeyPair } from '../../exchange/identity/key-pair.ts';
import { type Charter, charterFingerprint } from '../charter.ts';
import { Field } from '../field.ts';
import { toFixedPoint } from '../fixed-point.ts';
import { dial } from '../link/dial.ts';
import type { Link } from '../link/link.ts';
import { selfSignedCertificate } from '../link/self-signed-certificate.ts';
import { Scheme } from '../scheme.ts';
import { splitNumbers } from '../split-numbers.ts';

export interface LiveSharingOptions {
  charter: Charter;
  keys: KeyPair;
  /** The coordinator's word that we are an owner, asked for with every line. */
  admission(): Promise<string>;
}

/** What the coordinator is told of a live sample. */
export interface LiveTicket {
  ticket: string;
  width: number;
  /** Where the numbers are codes: the id of their coding. */
  coding?: string;
}

export class LiveSharing {
  readonly #options: LiveSharingOptions;
  readonly #engine = new Engine({ threads: 1 });
  readonly #field = new Field(this.#engine);
  readonly #scheme: Scheme;
  readonly #links = new Map<number, Promise<Link>>();

  constructor(options: LiveSharingOptions) {
    this.#options = options;
    this.#scheme = new Scheme(options.charter.threshold, options.charter.entities.length);
  }

  /**
   * Resolves when every entity has its share, but for those that are away and can be done without: 2t + 1 must have theirs. `coding`: where the
   * numbers are codes, the id of their coding.
   */
  async send(embedding: Float32Array, thing: string, coding?: string): Promise<LiveTicket> {
    const ticket = randomBytes(16).toString('hex');
    const shares = splitNumbers(this.#field, this.#scheme, toFixedPoint(embedding, thing));
    this.#field.reset();
    const facts = { ticket, ...(coding !== undefined && { coding }) };
    const outcomes = await Promise.allSettled(shares.map((bytes, i) => this.#put(i + 1, facts, bytes)));
    const failures = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
    const grave = failures.find((error) => errorCode(error) !== 'F3_SHARES_AWAY');
    const spare = this.#scheme.entities - 2 * this.#scheme.threshold - 1;
    if (grave || failures.length > spare) throw grave ?? failures[0];
    return { ...facts, width: embedding.length };
  }

  async close(): Promise<void> {
    for (const link of this.#links.values()) (await link.catch(() => undefined))?.close();
    await this.#engine.dispose();
  }

  /** A line that broke since the last sample is dialled anew, once. */
  async #put(entity: number, facts: Record<string, string>, bytes: Uint8Array): Promise<void> {
    const before = this.#links.get(entity);
    try {
      await (await this.#line(entity)).ask('live', { facts, bytes });
    } catch (error) {
      if (errorCode(error) !== 'F3_SHARES_AWAY') throw error;
      if (this.#links.get(entity) === before) this.#links.delete(entity);
      if (!before) throw error;
      await (await this.#line(entity)).ask('live', { facts, bytes });
    }
  }

  #line(entity: number): Promise<Link> {
    const known = this.#links.get(entity);
    if (known) return known;
    const made = this.#dial(entity);
    this.#links.set(entity, made);
    made.catch(() => this.#links.get(entity) === made && this.#links.delete(entity));
    return made;
  }

  async #dial(entity: number): Promise<Link> {
    const { charter, keys, admission } = this.#options;
    const link = await dial(charter.entities[entity - 1], {
      name: `entity ${entity}`,
      certified: selfSignedCertificate(keys),
    });
    try {
      await link.ask('hello', { facts: { charter: charterFingerprint(charter), admission: await admission() } });
      return link;
    } catch (error) {
      link.close();
      throw error;
    }
  }
}
