// [coordinator] When each member last sent a request that was accepted, as this process knows it.

/** Members are remembered up to so many; those not seen for the longest time are forgotten first. */
const MOST = 100_000;

export class LastSeen {
  readonly #seen = new Map<string, Date>();

  /** `member` is its id. */
  note(member: string, now = new Date()): void {
    this.#seen.delete(member);
    this.#seen.set(member, now);
    if (this.#seen.size > MOST) this.#seen.delete(this.#seen.keys().next().value as string);
  }

  /** The last request, or the latest of the times that are known otherwise. */
  of(member: string, ...known: (Date | undefined)[]): Date | null {
    const times = [this.#seen.get(member), ...known].filter((time) => time !== undefined);
    return times.length === 0 ? null : new Date(Math.max(...times.map((time) => time.getTime())));
  }
}
