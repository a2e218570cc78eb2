// A training step's temporaries: handed out in a row, forgotten together.
import type { Memory } from './memory.ts';

const CHUNK = 8 << 20;
const ALIGNMENT = 64;

/** Memory for the temporaries of a training step, forgotten together. */
export class Arena {
  readonly #memory: Memory;
  #chunks: { address: number; bytes: number }[] = [];
  #chunk = 0;
  #offset = 0;
  #used = 0;
  #peak = 0;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** Most bytes any step has used. */
  get peak(): number {
    return Math.max(this.#peak, this.#used);
  }

  /** Address of a 64-byte aligned block that lives until `reset`. The bytes are not cleared. */
  allocate(bytes: number): number {
    const size = Math.max(ALIGNMENT, Math.ceil(bytes / ALIGNMENT) * ALIGNMENT);
    this.#used += size;
    for (; this.#chunk < this.#chunks.length; this.#chunk++, this.#offset = 0) {
      const chunk = this.#chunks[this.#chunk];
      if (this.#offset + size <= chunk.bytes) {
        const address = chunk.address + this.#offset;
        this.#offset += size;
        return address;
      }
    }
    const bytesOfChunk = Math.max(CHUNK, size);
    this.#chunks.push({ address: this.#memory.allocate(bytesOfChunk), bytes: bytesOfChunk });
    this.#offset = size;
    return this.#chunks[this.#chunk].address;
  }

  /** Forgets everything handed out. The memory stays with the arena for the next step. */
  reset(): void {
    this.#peak = Math.max(this.#peak, this.#used);
    this.#used = 0;
    this.#chunk = 0;
    this.#offset = 0;
  }

  /** Gives the memory back. */
  dispose(): void {
    for (const chunk of this.#chunks) this.#memory.free(chunk.address, chunk.bytes);
    this.#chunks = [];
    this.reset();
  }
}
