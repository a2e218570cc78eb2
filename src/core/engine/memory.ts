// The one shared WebAssembly memory all tensors live in, and the allocator of what outlives a training step.
import { CoreError } from '../errors.ts';

const PAGE = 65_536;
const MAX_PAGES = 65_536;
/** The kernels' own constants lie below this address (AssemblyScript's static data). */
const HEAP_BASE = 65_536;
/** Vector loads may read past the end of a row; the last bytes of the memory are never handed out. */
const SLACK = 256;
const ALIGNMENT = 64;

/** What is used of a `WebAssembly.Memory`, whose own type TypeScript has among those of browsers, which not every program loads. */
export interface SharedPages {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** The one shared WebAssembly memory that all tensors of an engine live in. */
export class Memory {
  readonly wasm: SharedPages;
  readonly #maxBytes: number;
  #top = HEAP_BASE;
  /** Freed blocks by size, reused for requests of exactly that size: models of one shape come and go. */
  readonly #free = new Map<number, number[]>();

  constructor(maxBytes: number = MAX_PAGES * PAGE) {
    this.#maxBytes = maxBytes;
    this.wasm = new WebAssembly.Memory({ initial: 16, maximum: MAX_PAGES, shared: true });
  }

  /** Bytes handed out or reserved so far. */
  get used(): number {
    return this.#top;
  }

  /** Address of a 64-byte aligned block. The bytes are not cleared. */
  allocate(bytes: number): number {
    const size = Math.max(ALIGNMENT, Math.ceil(bytes / ALIGNMENT) * ALIGNMENT);
    const recycled = this.#free.get(size)?.pop();
    if (recycled !== undefined) return recycled;
    const address = this.#top;
    this.#reach(address + size + SLACK, bytes);
    this.#top = address + size;
    return address;
  }

  /** Gives a block back, which must have been allocated with so many bytes. */
  free(address: number, bytes: number): void {
    const size = Math.max(ALIGNMENT, Math.ceil(bytes / ALIGNMENT) * ALIGNMENT);
    const blocks = this.#free.get(size);
    if (blocks) blocks.push(address);
    else this.#free.set(size, [address]);
  }

  /** A view of `length` numbers at an address. */
  floats(address: number, length: number): Float32Array {
    return new Float32Array(this.wasm.buffer, address, length);
  }

  /** A view of `length` integers at an address. */
  integers(address: number, length: number): Int32Array {
    return new Int32Array(this.wasm.buffer, address, length);
  }

  #reach(end: number, asked: number): void {
    const missing = end - this.wasm.buffer.byteLength;
    if (missing <= 0) return;
    const outOfMemory = () =>
      new CoreError(
        'F3_OUT_OF_MEMORY',
        `memory: ${asked} bytes were asked for, ${this.#top} of at most ${this.#maxBytes} are in use`,
      );
    if (end > this.#maxBytes) throw outOfMemory();
    // Growing by an eighth at a time keeps the number of growths small.
    const wanted = Math.min(this.#maxBytes, end + (end >>> 3));
    const pages = Math.ceil((wanted - this.wasm.buffer.byteLength) / PAGE);
    try {
      this.wasm.grow(pages);
    } catch {
      throw outOfMemory();
    }
  }
}
