// [coordinator] What those who listen to streams read from the database, again and again: one read at a time, and each answer is for
// all who want the same. So however many listen, whoever else asks the database waits for one of their reads at most.

export class SharedReads {
  readonly #known = new Map<string, Promise<unknown>>();
  #last: Promise<unknown> = Promise.resolve();

  /** `keptMs`: how long an answer is good once it has come; without it only those who wait for it share it. */
  read<T>(key: string, find: () => Promise<T>, keptMs = 0): Promise<T> {
    const known = this.#known.get(key) as Promise<T> | undefined;
    if (known) return known;
    const answer = this.#last.then(find);
    const forget = () => this.#known.delete(key);
    this.#known.set(key, answer);
    this.#last = answer.then(
      () => void (keptMs > 0 ? setTimeout(forget, keptMs).unref() : forget()),
      () => void forget(),
    );
    return answer;
  }
}
