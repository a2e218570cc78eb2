// [owner] [entity] [coordinator] Arrays of numbers of the field 2^127 − 1 in an engine's memory, and what is computed on them.
import { Arena } from '../core/engine/arena.ts';
import type { Engine } from '../core/engine/engine.ts';
import { toBytes } from '../core/reference/field.ts';

/** Bytes of a number of the field, in memory, on the wire and on disk. */
export const NUMBER_BYTES = 16;

/** Numbers of the field one after another in the engine's memory. */
export interface Numbers {
  readonly address: number;
  readonly count: number;
}

/** Where a matrix lies: row and step are distances in numbers, stack the distance from one matrix of a stack to the next. */
export interface FieldOperand {
  at: Numbers;
  row: number;
  step?: number;
  stack?: number;
}

/** C = A·B for a stack of matrices: A [m, k], B [k, n], C [m, n]. */
export interface FieldProduct {
  m: number;
  n: number;
  k: number;
  stacks?: number;
  /** Shares, or public whole numbers below 2^25 in magnitude (Int32Array in row-major order, the same for every stack). */
  a: FieldOperand | Int32Array;
  b: FieldOperand;
  c: FieldOperand;
  /** Only tiles that reach the diagonal or lie above it are computed. */
  upper?: boolean;
  /** C += A·B */
  accumulate?: boolean;
}

const PER_TASK = 4096;
const SHARE_DIGITS = 10;
const PUBLIC_DIGITS = 2;
/** Rows of A that are packed at a time, a multiple of the tile's four. */
const ROWS_PER_TASK = 16;

/** Arithmetic of the field in an engine's memory. */
export class Field {
  readonly engine: Engine;
  readonly #arena: Arena;

  constructor(engine: Engine) {
    this.engine = engine;
    this.#arena = new Arena(engine.memory);
  }

  /** Numbers that live until `free`, all 0. */
  allocate(count: number): Numbers {
    const numbers = { address: this.engine.memory.allocate(count * NUMBER_BYTES), count };
    this.bytes(numbers).fill(0);
    return numbers;
  }

  free({ address, count }: Numbers): void {
    this.engine.memory.free(address, count * NUMBER_BYTES);
  }

  /** Numbers that live until `reset`. They are not cleared. */
  temporary(count: number): Numbers {
    return { address: this.#arena.allocate(count * NUMBER_BYTES), count };
  }

  /** Forgets all temporary numbers. */
  reset(): void {
    this.#arena.reset();
  }

  dispose(): void {
    this.#arena.dispose();
  }

  /** A view, good until the memory grows. */
  bytes({ address, count }: Numbers): Uint8Array {
    return new Uint8Array(this.engine.memory.wasm.buffer, address, count * NUMBER_BYTES);
  }

  /** A copy outside the engine's memory, to be sent or kept. */
  copy(numbers: Numbers): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.bytes(numbers));
  }

  /** Temporary numbers with these bytes. */
  load(bytes: Uint8Array): Numbers {
    const numbers = this.temporary(bytes.length / NUMBER_BYTES);
    this.bytes(numbers).set(bytes);
    return numbers;
  }

  /** One temporary number. */
  constant(value: bigint): Numbers {
    return this.load(toBytes([value]));
  }

  /** `count` numbers from `start` on. */
  part({ address }: Numbers, start: number, count: number): Numbers {
    return { address: address + start * NUMBER_BYTES, count };
  }

  add(a: Numbers, b: Numbers, out: Numbers): void {
    this.engine.run('fieldAdd', tasksOf(out), PER_TASK, out.count, a.address, b.address, out.address);
  }

  subtract(a: Numbers, b: Numbers, out: Numbers): void {
    this.engine.run('fieldSubtract', tasksOf(out), PER_TASK, out.count, a.address, b.address, out.address);
  }

  multiply(a: Numbers, b: Numbers, out: Numbers): void {
    this.engine.run('fieldMultiply', tasksOf(out), PER_TASK, out.count, a.address, b.address, out.address);
  }

  /** out = factor·x, or out += factor·x */
  scale(factor: bigint, x: Numbers, out: Numbers, { accumulate = false } = {}): void {
    const constant = this.constant(factor).address;
    this.engine.run(
      'fieldScale',
      tasksOf(out),
      PER_TASK,
      out.count,
      constant,
      x.address,
      accumulate ? 0 : 1,
      out.address,
    );
  }

  product({ m, n, k, stacks = 1, a, b, c, upper = false, accumulate = false }: FieldProduct): void {
    const { engine } = this;
    const isPublic = a instanceof Int32Array;
    const digits = isPublic ? PUBLIC_DIGITS : SHARE_DIGITS;
    const left = isPublic ? this.integers(a) : a.at.address;
    const [aStack, aRow, aStep] = isPublic
      ? [0, k * 4, 4]
      : [(a.stack ?? 0) * NUMBER_BYTES, a.row * NUMBER_BYTES, (a.step ?? 1) * NUMBER_BYTES];
    const packed = this.#arena.allocate(stacks * engine.kernels.packedBytes(n, k, SHARE_DIGITS));
    const right = [(b.stack ?? 0) * NUMBER_BYTES, b.row * NUMBER_BYTES, (b.step ?? 1) * NUMBER_BYTES] as const;
    engine.run('fieldPackColumns', stacks, k, n, b.at.address, ...right, packed);
    const rows = Math.min(ROWS_PER_TASK, m);
    const blocks = Math.ceil(m / rows);
    const scratch = engine.threadScratch(engine.kernels.fieldProductScratch(rows, k, digits));
    const sizes = [blocks, rows, m, n, k, digits] as const;
    const out = [(c.stack ?? 0) * NUMBER_BYTES, c.row * NUMBER_BYTES, (c.step ?? 1) * NUMBER_BYTES] as const;
    const flags = [upper ? 1 : 0, accumulate ? 1 : 0] as const;
    engine.run(
      'fieldProduct',
      blocks * stacks,
      ...sizes,
      left,
      aStack,
      aRow,
      aStep,
      packed,
      c.at.address,
      ...out,
      ...flags,
      scratch,
      engine.threadScratchBytes,
    );
  }

  /** Address of a temporary copy of 32-bit whole numbers. */
  integers(values: Int32Array): number {
    const address = this.#arena.allocate(values.byteLength);
    this.engine.memory.integers(address, values.length).set(values);
    return address;
  }
}

const tasksOf = ({ count }: Numbers): number => Math.ceil(count / PER_TASK);
