// [wire] Reads bytes that come in chunks of any size, in pieces of a size that the reader chooses.

export class ByteStream {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array();
  #at = 0;
  #position = 0;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** How many bytes were taken or skipped so far. */
  get position(): number {
    return this.#position;
  }

  /** The next `length` bytes, in memory of their own. Throws if there are fewer. */
  async take(length: number): Promise<Uint8Array<ArrayBuffer>> {
    const taken = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const part = await this.#part(length - filled);
      taken.set(part, filled);
      filled += part.length;
    }
    return taken;
  }

  async skip(length: number): Promise<void> {
    for (let left = length; left > 0; ) left -= (await this.#part(left)).length;
  }

  /** Some of the next bytes: at least one, at most `most`. */
  async #part(most: number): Promise<Uint8Array> {
    while (this.#at === this.#chunk.length) {
      const { value, done } = await this.#chunks.next();
      if (done) throw new Error(`an end after ${this.#position} bytes`);
      this.#chunk = value;
      this.#at = 0;
    }
    const part = this.#chunk.subarray(this.#at, this.#at + most);
    this.#at += part.length;
    this.#position += part.length;
    return part;
  }
}
