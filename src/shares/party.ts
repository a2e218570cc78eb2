// [entity] One entity's side of the protocol: the two functions through which alone a shared number is ever opened, and the ledger behind them.
//
// Truncation: entities add to their products (degree 2t) a pseudorandom mask r = Σ_A r_A, open c = x + r, and keep ⌊c/2^s⌋ − [Σ_A ⌊r_A/2^s⌋] of degree t.
import { toBytes } from '../core/reference/field.ts';
import { F3Error } from '../errors.ts';
import type { Field, Numbers } from './field.ts';
import type { Ledger, OpeningName } from './ledger.ts';
import { MaskSource, type SetKeys } from './mask-source.ts';
import { reconstruct } from './reconstruct.ts';
import type { Scheme } from './scheme.ts';
import { COORDINATOR, type Transport } from './transport.ts';

/** Every opening among entities hides its numbers behind at least so many bits of statistical masking. */
export const MASKING_BITS = 40;
/** Masks add up to less than 2^126, so that a masked number stays below the prime. */
const MASK_ROOM = 126;

/** Bits of the part that each set gives to a mask. */
export const maskRoom = ({ sets }: Scheme): number => MASK_ROOM - Math.ceil(Math.log2(sets.length));

/** Numbers to be truncated: known only as shares of degree 2t or less, before and after. */
export interface Truncation {
  what: OpeningName;
  /** This entity's shares, of degree 2t or less. */
  numbers: Numbers;
  /** Bits that are cut off. */
  shift: number;
  /** The numbers are below 2^bits in magnitude, what is cut off included. */
  bits: number;
}

/** What an opening among entities took. */
export interface OpeningTime {
  step: number;
  what: string;
  /** Milliseconds of this entity's own work since the opening before, masks included. */
  workMs: number;
  /** Milliseconds until the others' shares had come. */
  waitMs: number;
  /** Milliseconds to put them together. */
  endMs: number;
}

/** What an entity brings to a session. */
export interface PartyOptions {
  field: Field;
  scheme: Scheme;
  transport: Transport;
  keys: SetKeys;
  ledger: Ledger;
  /** Names what is computed, e.g. a training: no two sessions have a mask in common. */
  session: string;
  /** Entities that take part, ascending; by default all. At least 2t + 1. */
  active?: readonly number[] | undefined;
  /** Called after every opening among entities. */
  onOpening?: ((time: OpeningTime) => void) | undefined;
}

/** One entity within one session. */
export class Party {
  readonly entity: number;
  readonly field: Field;
  readonly scheme: Scheme;
  readonly #transport: Transport;
  readonly #ledger: Ledger;
  readonly #session: string;
  readonly #active: readonly number[];
  readonly #masks: MaskSource;
  readonly #setBits: number;
  readonly #onOpening: ((time: OpeningTime) => void) | undefined;
  #step = 0;
  #opening = 0;
  #since = performance.now();

  constructor({ field, scheme, transport, keys, ledger, session, active, onOpening }: PartyOptions) {
    this.entity = transport.party;
    this.field = field;
    this.scheme = scheme;
    this.#transport = transport;
    this.#ledger = ledger;
    this.#session = session;
    this.#onOpening = onOpening;
    this.#active = active ?? Array.from({ length: scheme.entities }, (_, index) => index + 1);
    if (this.#active.length < 2 * scheme.threshold + 1) {
      const rule = `${2 * scheme.threshold + 1} entities must take part`;
      throw new F3Error('F3_SHARES_MISSING', `session ${session}: ${rule}, got ${this.#active.length}`);
    }
    this.#masks = new MaskSource(field, scheme, this.entity, keys, session);
    this.#setBits = maskRoom(scheme);
  }

  /** Masks and messages belong to a step; no step may be computed twice with different numbers. */
  startStep(step: number): void {
    this.#step = step;
    this.#opening = 0;
    this.#since = performance.now();
  }

  /** Leaves out an opening whose result is known, so that later ones have the masks and tags they would have had. */
  skipOpening(): void {
    this.#opening++;
  }

  get step(): number {
    return this.#step;
  }

  /** For the ledger: who takes part, where it is not everybody. */
  get #among(): readonly number[] | undefined {
    return this.#active.length < this.scheme.entities ? this.#active : undefined;
  }

  /** What the coordinator sent under this name in this step. */
  fromCoordinator(what: string): Promise<Uint8Array> {
    return this.#transport.receive(COORDINATOR, `${this.#session} ${this.#step} ${what}`);
  }

  /** Bits of masking of numbers below 2^bits. */
  maskBits(bits: number): number {
    return this.#setBits - bits - 1;
  }

  /**
   * Shares of degree t of the numbers divided by 2^shift, in one exchange for all truncations together. A result is off by at most
   * the number of sets, and by nothing on average.
   */
  async truncate(truncations: readonly Truncation[]): Promise<Numbers[]> {
    const { field, scheme } = this;
    const total = truncations.reduce((sum, { numbers }) => sum + numbers.count, 0);
    const masked = field.temporary(total);
    let start = 0;
    const opening = this.#opening;
    const jobs = truncations.map((truncation) => {
      const { what, numbers, shift, bits } = truncation;
      const { count } = numbers;
      const maskBits = this.maskBits(bits);
      if (maskBits < MASKING_BITS) {
        const rule = `must be masked by at least ${MASKING_BITS} bits`;
        throw new F3Error('F3_SHARES_MASK', `${what}: numbers of ${bits} bits ${rule}, got ${maskBits}`);
      }
      const part = field.part(masked, start, count);
      const place = { step: this.#step, opening: this.#opening++ };
      const { masks, quotients } = this.#masks.masks(place, count, this.#setBits, shift);
      field.add(numbers, masks, part);
      start += count;
      return { ...truncation, quotients, start: start - count, maskBits };
    });
    this.#addPublic(jobs, masked);
    const tag = `${this.#session} ${this.#step} opening ${opening}`;
    const what = jobs.map((job) => job.what).join(', ');
    const started = this.#since;
    const { opened, sentAt, receivedAt } = await this.#exchange(tag, masked, what);
    const results = jobs.map(({ what: name, numbers: { count }, shift, bits, quotients, start: at, maskBits }) => {
      this.#ledger.record({ what: name, to: 'entities', count, step: this.#step, maskBits, among: this.#among });
      const out = field.temporary(count);
      const limit = field.constant(2n ** BigInt(bits + 1) + (BigInt(scheme.sets.length) << BigInt(this.#setBits)));
      const offset = field.constant(2n ** BigInt(bits - shift));
      const addresses = [limit.address, offset.address, quotients.address, out.address] as const;
      const above = field.engine.kernels.truncateOpened(
        count,
        shift,
        field.part(opened, at, count).address,
        ...addresses,
      );
      if (above > 0) {
        const found = `${above} of ${count} are not`;
        throw new F3Error(
          'F3_SHARES_OVERFLOW',
          `step ${this.#step}, ${name}: numbers must be below 2^${bits}, ${found}`,
        );
      }
      return out;
    });
    this.#since = performance.now();
    this.#onOpening?.({
      step: this.#step,
      what,
      workMs: sentAt - started,
      waitMs: receivedAt - sentAt,
      endMs: this.#since - receivedAt,
    });
    return results;
  }

  /**
   * Opens the numbers to the coordinator alone. Below `dither` bits it sees random bits, so that it learns no more of a value than
   * was asked for.
   */
  reveal(what: OpeningName, numbers: Numbers, dither: number): void {
    const place = { step: this.#step, opening: this.#opening++ };
    const masked = this.#masks.dither(place, numbers.count, dither);
    this.field.add(numbers, masked, masked);
    this.#transport.send(COORDINATOR, `${this.#session} ${this.#step} ${what}`, this.field.copy(masked));
    this.#ledger.record({ what, to: 'coordinator', count: numbers.count, step: this.#step, among: this.#among });
  }

  /** Adds what makes numbers positive and the rounding fair; a public number is its own share. */
  #addPublic(jobs: readonly (Truncation & { start: number })[], masked: Numbers): void {
    const extra = BigInt(this.scheme.sets.length - 1);
    for (const { numbers, shift, bits, start } of jobs) {
      const value = 2n ** BigInt(bits) - (extra << BigInt(shift)) / 2n;
      const part = this.field.part(masked, start, numbers.count);
      const constant = this.field.temporary(numbers.count);
      fillNumbers(this.field.bytes(constant), toBytes([value]));
      this.field.add(part, constant, part);
    }
  }

  /** Everybody's masked shares, put together, and when this entity had sent its own and received the others'. */
  async #exchange(tag: string, masked: Numbers, what: string) {
    const others = this.#active.filter((entity) => entity !== this.entity);
    for (const entity of others) this.#transport.send(entity, tag, this.field.copy(masked));
    const sentAt = performance.now();
    const received = await Promise.all(others.map((entity) => this.#transport.receive(entity, tag)));
    const receivedAt = performance.now();
    const parts = others.map((entity, i) => {
      const bytes = received[i];
      const wanted = masked.count * 16;
      if (bytes.length !== wanted) {
        throw new F3Error(
          'F3_SHARES_MESSAGE',
          `${tag}: entity ${entity} must send ${wanted} bytes, got ${bytes.length}`,
        );
      }
      return { entity, shares: this.field.load(bytes) };
    });
    const all = [{ entity: this.entity, shares: masked }, ...parts].sort((a, b) => a.entity - b.entity);
    const opened = reconstruct(this.field, this.scheme, all, 2 * this.scheme.threshold, what);
    return { opened, sentAt, receivedAt };
  }
}

/** Repeats one number. */
function fillNumbers(bytes: Uint8Array, number: Uint8Array): void {
  bytes.set(number);
  for (let filled = number.length; filled < bytes.length; filled *= 2) {
    bytes.copyWithin(filled, 0, Math.min(filled, bytes.length - filled));
  }
}
