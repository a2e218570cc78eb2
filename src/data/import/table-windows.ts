// [owner] Rate and window length of each owner of a table. Windows counted in readings need one rate for all owners.
import { F3Error } from '../../errors.ts';
import { formatRate, inferRate, parseDuration, parseRate, type Rate } from './rate.ts';

export class TableWindows {
  readonly #duration: number | undefined;
  readonly #length: number;
  readonly #text: string;
  readonly #given: Rate | undefined;
  #first: { id: string; rate: Rate } | undefined;

  /** `window`: readings (`12`) or a duration (`1h`); `rate`: as for `parseRate`, by default inferred from the times. */
  constructor(window: string, rate?: string) {
    this.#text = window;
    this.#duration = parseDuration(window);
    this.#length = /^\d+$/.test(window) ? Number(window) : 0;
    this.#given = rate === undefined ? undefined : parseRate(rate);
    if (this.#duration !== undefined || this.#length > 0) return;
    throw new F3Error('F3_OPTION', `window: must be a number of readings (12) or a duration (1h), got ${window}`);
  }

  /** Rate and readings per window of one owner. `times`: seconds, in any order */
  windowOf({ id, times }: { id: string; times: Float64Array }): { rate: Rate; length: number } {
    const rate = this.#given ?? inferRate(times.toSorted());
    if (!rate) {
      const message = `owner ${id}: times must show one sampling rate unless it is given, got none`;
      throw new F3Error('F3_DATA_RATE', message, { remedy: 'rate' });
    }
    if (this.#duration !== undefined) {
      const length = (this.#duration * rate.count) / rate.seconds;
      if (Number.isInteger(length)) return { rate, length };
      const rule = `a window of ${this.#text} must hold a whole number of readings`;
      throw new F3Error('F3_DATA_RATE', `owner ${id}: ${rule}, got ${length} at ${formatRate(rate)}`);
    }
    this.#first ??= { id, rate };
    const [expected, found] = [formatRate(this.#first.rate), formatRate(rate)];
    if (expected === found) return { rate, length: this.#length };
    const rule = `must have the rate of owner ${this.#first.id} (${expected}) where windows are counted in readings`;
    throw new F3Error('F3_DATA_RATE', `owner ${id}: ${rule}, got ${found}`, { remedy: 'window' });
  }
}
