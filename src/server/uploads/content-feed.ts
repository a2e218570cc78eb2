// [coordinator] Hands chunks from whoever sends them to whoever reads them, one at a time: a chunk is asked for when the last one is used up.

/** What the reader wants next: the chunk that follows, the bytes from another place, or nothing more. */
export type Wanted = 'next' | 'nothing' | { from: number };

export class ContentFeed {
  #wanted: Wanted | undefined;
  #onWanted: ((wanted: Wanted) => void) | undefined;
  #onChunk: ((chunk: Uint8Array | undefined) => void) | undefined;

  /** Gives the bytes from `from` on. The readings follow each other. */
  async *bytes(from = 0): AsyncGenerator<Uint8Array> {
    let chunk = await this.#ask({ from });
    while (chunk) {
      yield chunk;
      chunk = await this.#ask('next');
    }
  }

  /** Resolves when the reader wants something. */
  wanted(): Promise<Wanted> {
    const wanted = this.#wanted;
    this.#wanted = undefined;
    if (wanted) return Promise.resolve(wanted);
    return new Promise((resolve) => {
      this.#onWanted = resolve;
    });
  }

  /** Hands over a chunk; undefined says that there are no more. */
  give(chunk: Uint8Array | undefined): void {
    this.#onChunk?.(chunk);
  }

  /** Says that the reader has ended. */
  finish(): void {
    this.#want('nothing');
  }

  #ask(wanted: Wanted): Promise<Uint8Array | undefined> {
    return new Promise((resolve) => {
      this.#onChunk = resolve;
      this.#want(wanted);
    });
  }

  #want(wanted: Wanted): void {
    const listener = this.#onWanted;
    this.#onWanted = undefined;
    if (listener) listener(wanted);
    else this.#wanted = wanted;
  }
}
