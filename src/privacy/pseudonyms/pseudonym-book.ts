// [owner] The owner's own list of ids and their pseudonyms: nobody is asked for the same id twice, and answers can be read back.
import { closeSync, existsSync, fsyncSync, openSync, readSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { unwritable } from '../../base/unwritable.ts';
import { F3Error } from '../../errors.ts';

/** A line is a pseudonym of 32 digits, a space, and the id as JSON, so that any id fits on a line. */
const LINE = /^([0-9a-f]{32}) (".*")$/;
const CHUNK = 1 << 20;

/** Pseudonyms that are known, kept in a file that only ever grows. */
export class PseudonymBook {
  readonly #file: string;
  readonly #pseudonyms = new Map<string, string>();
  /** Bytes and lines of the file that are known. */
  #read = { bytes: 0, lines: 0 };

  private constructor(file: string) {
    this.#file = file;
  }

  /** A last line that a crash cut off is not read; anything else that is no line of ours is an error. */
  static open(file: string): PseudonymBook {
    const book = new PseudonymBook(file);
    book.catchUp();
    return book;
  }

  get size(): number {
    return this.#pseudonyms.size;
  }

  find(id: string): string | undefined {
    return this.#pseudonyms.get(id);
  }

  /** On disk before it returns, so that an answer that was paid for is not lost. For whoever has the folder's lock. */
  add(ids: readonly string[], pseudonyms: readonly string[]): void {
    this.catchUp({ isLocked: true });
    const lines = ids.map((id, i) => `${pseudonyms[i]} ${JSON.stringify(id)}\n`).join('');
    try {
      const opened = openSync(this.#file, 'a', 0o600);
      try {
        writeFileSync(opened, lines);
        fsyncSync(opened);
      } finally {
        closeSync(opened);
      }
    } catch (cause) {
      throw unwritable(`pseudonyms ${this.#file}`, cause, 'F3_HOME');
    }
    this.catchUp({ isLocked: true });
  }

  /** Ids by their pseudonyms, to read what a coordinator answers. */
  reversed(): Map<string, string> {
    return new Map([...this.#pseudonyms].map(([id, pseudonym]) => [pseudonym, id]));
  }

  /** Takes over what stands in the file and is not known yet. Without the lock the rest of a line may be what another process is about to finish. */
  catchUp({ isLocked = false } = {}): void {
    if (!existsSync(this.#file) || statSync(this.#file).size === this.#read.bytes) return;
    const opened = openSync(this.#file, 'r');
    let rest = Buffer.alloc(0);
    try {
      const chunk = Buffer.alloc(CHUNK);
      for (let at = this.#read.bytes; ; ) {
        const size = readSync(opened, chunk, 0, CHUNK, at);
        if (size === 0) break;
        at += size;
        rest = Buffer.concat([rest, chunk.subarray(0, size)]);
        for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
          this.#take(rest.toString('utf8', 0, end), this.#read.lines + 1);
          this.#read = { bytes: this.#read.bytes + end + 1, lines: this.#read.lines + 1 };
          rest = rest.subarray(end + 1);
        }
      }
    } finally {
      closeSync(opened);
    }
    if (rest.length > 0 && isLocked) truncateSync(this.#file, this.#read.bytes);
  }

  #take(line: string, row: number): void {
    const [, pseudonym, id] = LINE.exec(line) ?? [];
    if (pseudonym === undefined) {
      const rule = 'every line must be a pseudonym and an id';
      throw new F3Error('F3_HOME', `pseudonyms ${this.#file}: ${rule}, got something else in line ${row}`);
    }
    this.#pseudonyms.set(JSON.parse(id) as string, pseudonym);
  }
}
