// [coordinator] The coordinator's side of the protocol: it shares numbers among the entities and puts together what they open to it.
import { createCipheriv, hkdfSync } from 'node:crypto';
import { F3Error } from '../errors.ts';
import type { Field } from './field.ts';
import { fromFixedPoint } from './fixed-point.ts';
import type { Ledger, OpeningName } from './ledger.ts';
import { reconstruct } from './reconstruct.ts';
import type { Scheme } from './scheme.ts';
import { splitNumbers } from './split-numbers.ts';
import type { Transport } from './transport.ts';

/** What the coordinator brings to a session. */
export interface DeskOptions {
  field: Field;
  scheme: Scheme;
  transport: Transport;
  ledger: Ledger;
  session: string;
  /** 32 bytes of node:crypto, kept with the checkpoint: a step that is computed again is shared with the same coefficients. */
  secret: Uint8Array;
  active?: readonly number[] | undefined;
}

/** The coordinator within one session. */
export class CoordinatorDesk {
  readonly active: readonly number[];
  readonly #options: DeskOptions;
  readonly #key: Uint8Array;

  constructor(options: DeskOptions) {
    const { scheme, session, secret, active } = options;
    this.#options = options;
    this.active = active ?? Array.from({ length: scheme.entities }, (_, index) => index + 1);
    this.#key = new Uint8Array(hkdfSync('sha256', secret, '', `f3 shares ${session}`, 32));
  }

  /** Tells every entity the same. */
  tell(step: number, what: string, bytes: Uint8Array): void {
    const { transport, session } = this.#options;
    for (const entity of this.active) transport.send(entity, `${session} ${step} ${what}`, new Uint8Array(bytes));
  }

  /** Splits numbers, and sends each entity its share. */
  share(step: number, what: string, numbers: Uint8Array): void {
    const { field, scheme, transport, session } = this.#options;
    const counter = Buffer.alloc(16);
    counter.writeUInt32BE(step, 0);
    counter.set(new Uint8Array(hkdfSync('sha256', this.#key, '', what, 4)), 4);
    const cipher = createCipheriv('aes-256-ctr', this.#key, counter);
    const shares = splitNumbers(field, scheme, numbers, (bytes) =>
      bytes.set(cipher.update(new Uint8Array(bytes.length))),
    );
    for (const entity of this.active) transport.send(entity, `${session} ${step} ${what}`, shares[entity - 1]);
  }

  /** What the entities open to the coordinator: `count` numbers with `bits` after the point. */
  async collect(step: number, what: OpeningName, count: number, bits: number): Promise<Float64Array> {
    const { field, scheme, transport, ledger, session } = this.#options;
    const tag = `${session} ${step} ${what}`;
    const received = await Promise.all(this.active.map((entity) => transport.receive(entity, tag)));
    const parts = received.map((bytes, i) => {
      if (bytes.length !== count * 16) {
        const rule = `entity ${this.active[i]} must send ${count * 16} bytes`;
        throw new F3Error('F3_SHARES_MESSAGE', `${tag}: ${rule}, got ${bytes.length}`);
      }
      return { entity: this.active[i], shares: field.load(bytes) };
    });
    const opened = reconstruct(field, scheme, parts, 2 * scheme.threshold, what);
    ledger.record({ what, to: 'coordinator', count, step });
    return fromFixedPoint(field.bytes(opened), bits);
  }

  /** What an entity answers, outside any opening. */
  answer(step: number, entity: number, what: string): Promise<Uint8Array> {
    const { transport, session } = this.#options;
    return transport.receive(entity, `${session} ${step} ${what}`);
  }
}
