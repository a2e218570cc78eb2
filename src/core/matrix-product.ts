// Matrix products over the shared memory, split over threads by rows, by stack or by pieces of the sum.
import type { Engine } from './engine/engine.ts';
import type { Tape } from './engine/tape.ts';

/**
 * A matrix in memory, at address `at`. Strides are in floats: `row` leads to the next row, `step` to the next column
 * (default 1), `stack` to the next matrix of a stack.
 */
export interface LeftMatrix {
  at: number;
  row: number;
  step?: number;
  stack?: number;
}

/** A matrix whose rows are contiguous, as B and C must be. */
export interface RightMatrix {
  at: number;
  row: number;
  stack?: number;
}

/** C [m, n] = A [m, k] · B [k, n] */
export interface MatrixProduct {
  m: number;
  n: number;
  k: number;
  a: LeftMatrix;
  b: RightMatrix;
  c: RightMatrix;
  /** What C starts from: zero, itself, or a row of n numbers at this address (`stack` floats on per stacked matrix). */
  from?: 'zero' | 'itself' | { bias: number; stack?: number };
}

/** Work per task: enough to outweigh handing it over, little enough to balance. */
const MULTIPLY_ADDS_PER_TASK = 200_000;
/** More rows per task let it use a panel of B again while it is in the first-level cache. */
const MOST_TASKS = 16;

/** One product, its rows split over threads. */
export function multiply(engine: Engine, product: MatrixProduct): void {
  const share = Math.max(MULTIPLY_ADDS_PER_TASK / (product.n * product.k), product.m / MOST_TASKS);
  const rows = Math.ceil(share / 4) * 4;
  const a = { ...product.a, stack: rows * product.a.row };
  const b = { ...product.b, stack: 0 };
  const c = { ...product.c, stack: rows * product.c.row };
  const tasks = Math.ceil(product.m / rows);
  // Every task sums over the whole of k.
  launch(engine, tasks, { ...product, m: rows, a, b, c }, product.m, product.k * tasks);
}

/** `count` products of stacked matrices, one task each. */
export function multiplyStack(engine: Engine, count: number, product: MatrixProduct): void {
  launch(engine, count, product, product.m * count, product.k * count);
}

/** C += A · B where the sum over k is long: its pieces are added in a fixed order. C rows are contiguous. */
export function multiplyLong(tape: Tape, product: MatrixProduct): void {
  const { m, n, k } = product;
  const piece = Math.max(256, Math.ceil(k / 32));
  const pieces = Math.ceil(k / piece);
  const parts = tape.scratch(pieces * m * n);
  const a = { ...product.a, stack: piece * (product.a.step ?? 1) };
  const b = { ...product.b, stack: piece * product.b.row };
  launch(tape.engine, pieces, { m, n, k: piece, a, b, c: { at: parts, row: n, stack: m * n } }, m * pieces, k);
  tape.engine.kernels.addParts(pieces, m * n, parts, product.c.at);
}

/** to [width] += Σ over the rows of from [rows, width], in a fixed order. */
export function addRowSums(tape: Tape, rows: number, width: number, from: number, to: number): void {
  const perTask = Math.max(64, Math.ceil(rows / 32));
  const tasks = Math.ceil(rows / perTask);
  const parts = tape.scratch(tasks * width);
  tape.engine.run('sumRows', tasks, perTask, rows, width, from, parts);
  tape.engine.kernels.addParts(tasks, width, parts, to);
}

const FROM_ZERO = 0;
const FROM_ITSELF = 1;
const FROM_BIAS = 2;

function launch(engine: Engine, tasks: number, product: MatrixProduct, mTotal: number, kTotal: number): void {
  const { m, n, k, a, b, c, from = 'zero' } = product;
  const bytes = 4;
  const panel = 8 * bytes;
  const [bias, biasStack] = typeof from === 'object' ? [from.bias, (from.stack ?? 0) * bytes] : [0, 0];
  const start = typeof from === 'object' ? FROM_BIAS : from === 'itself' ? FROM_ITSELF : FROM_ZERO;
  const left = [a.at, (a.stack ?? 0) * bytes, a.row * bytes, (a.step ?? 1) * bytes] as const;
  const right = [b.at, (b.stack ?? 0) * bytes, panel, b.row * bytes] as const;
  const result = [c.at, (c.stack ?? 0) * bytes, c.row * bytes] as const;
  engine.run('gemm', tasks, m, n, k, mTotal, kTotal, ...left, ...right, ...result, start, bias, biasStack);
}
