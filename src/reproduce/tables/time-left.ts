// Estimates how long rows × seeds still take. Rows differ by a factor of a hundred, so what a row took on record is its
// weight.

/** Seconds of one fit of each row, where they are known. */
export type RowSeconds = Readonly<Record<string, number>>;

/** A run that took less than this was found finished, so its time says nothing of the machine. */
const FOUND_SECONDS = 0.5;

export class TimeLeft {
  readonly #rows: readonly string[];
  readonly #recorded: RowSeconds;
  readonly #known = new Map<string, number>();
  /** Seconds of the runs that really ran: what they took here, and what they took on record. */
  readonly #spent = { here: 0, recorded: 0 };
  #done = 0;

  /** `rows` names the row of every run, in the order of the runs. */
  constructor(rows: readonly string[], recorded: RowSeconds = {}) {
    this.#rows = rows;
    this.#recorded = recorded;
  }

  /** Notes that the next run in order is over. */
  finished(seconds: number): void {
    const row = this.#rows[this.#done++];
    if (seconds < FOUND_SECONDS) return;
    this.#known.set(row, seconds);
    this.#spent.here += seconds;
    this.#spent.recorded += this.#recorded[row] ?? 0;
  }

  /** `running` is how long the run under way has been going on. Undefined while nothing is known of what is to come. */
  seconds(running: number): number | undefined {
    const [now, ...later] = this.#rows.slice(this.#done).map((row) => this.#expected(row));
    const known = later.filter((seconds) => seconds !== undefined);
    const typical = known.length > 0 ? mean(known) : now;
    if (typical === undefined) return undefined;
    const rest = later.reduce<number>((sum, seconds) => sum + (seconds ?? typical), 0);
    return rest + Math.max(0, (now ?? typical) - running);
  }

  /** What another seed of the row took here, or else what it took on record, at this machine's pace. */
  #expected(row: string): number | undefined {
    const shown = this.#known.get(row);
    if (shown !== undefined) return shown;
    const recorded = this.#recorded[row];
    const { here, recorded: there } = this.#spent;
    return recorded === undefined ? undefined : recorded * (there > 0 ? here / there : 1);
  }
}

const mean = (numbers: readonly number[]) => numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
