// [wire] A FlatBuffers table read with bounds checks: apache-arrow believes every length it finds and may never return.
// Format: https://flatbuffers.dev/internals/

/** A bundle needs far fewer. A table may be referred to many times, so a small buffer could unfold without end. */
const MAX_TABLES = 10_000;

/** Every read outside the buffer throws. */
export class FlatTable {
  readonly #view: DataView;
  readonly #at: number;
  readonly #budget: { tables: number };

  private constructor(view: DataView, at: number, budget: { tables: number }) {
    if (--budget.tables < 0) throw new Error(`more than ${MAX_TABLES} tables`);
    this.#view = view;
    this.#at = at;
    this.#budget = budget;
  }

  static root(bytes: Uint8Array): FlatTable {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return new FlatTable(view, readOffset(view, 0), { tables: MAX_TABLES });
  }

  byte(slot: number): number {
    const at = this.#field(slot);
    return at === undefined ? 0 : this.#view.getUint8(at);
  }

  long(slot: number): number {
    const at = this.#field(slot);
    return at === undefined ? 0 : Number(this.#view.getBigInt64(at, true));
  }

  table(slot: number): FlatTable | undefined {
    const at = this.#field(slot);
    return at === undefined ? undefined : new FlatTable(this.#view, readOffset(this.#view, at), this.#budget);
  }

  tables(slot: number): FlatTable[] {
    const { at, length } = this.#vector(slot, 4);
    return Array.from({ length }, (_, i) => {
      return new FlatTable(this.#view, readOffset(this.#view, at + 4 * i), this.#budget);
    });
  }

  /** Checks that a text or a vector of bytes lies inside the buffer; nothing else can be wrong with it. */
  checkText(slot: number): void {
    this.#vector(slot, 1);
  }

  /** A vector of 64-bit numbers, or of structs of `perItem` such numbers. */
  longs(slot: number, perItem = 1): number[] {
    const { at, length } = this.#vector(slot, 8 * perItem);
    return Array.from({ length: length * perItem }, (_, i) => Number(this.#view.getBigInt64(at + 8 * i, true)));
  }

  #vector(slot: number, itemBytes: number): { at: number; length: number } {
    const field = this.#field(slot);
    if (field === undefined) return { at: 0, length: 0 };
    const at = readOffset(this.#view, field);
    const length = this.#view.getUint32(at, true);
    if (at + 4 + length * itemBytes > this.#view.byteLength) throw new Error(`a vector of ${length} items`);
    return { at: at + 4, length };
  }

  /** The position of a field; undefined when the table leaves it at its default. */
  #field(slot: number): number | undefined {
    const vtable = this.#at - this.#view.getInt32(this.#at, true);
    const entry = 4 + 2 * slot;
    if (entry >= this.#view.getUint16(vtable, true)) return undefined;
    const offset = this.#view.getUint16(vtable + entry, true);
    return offset === 0 ? undefined : this.#at + offset;
  }
}

const readOffset = (view: DataView, at: number): number => at + view.getUint32(at, true);
