// [wire] How large a bundle may be for whoever takes it from others.
import { F3Error } from '../../errors.ts';

export interface BundleLimits {
  /** Most samples. */
  rows: number;
  /** Most bytes of a sample's embedding and class probabilities. */
  rowBytes: number;
}

/** A batch of a column is an object in the memory of every reader, so a file of tiny batches costs far more than its size. */
const MOST_PARTS = 100_000;

export function requireRows(name: string, rows: number, { rows: most }: Pick<BundleLimits, 'rows'>): void {
  if (rows <= most) return;
  throw new F3Error('F3_UPLOAD_LIMIT', `${name}: must have at most ${most} samples, got ${rows}`);
}

export function requireRowBytes(name: string, numbers: number, { rowBytes: most }: BundleLimits): void {
  if (4 * numbers <= most) return;
  const rule = `embedding and probabilities of a sample must take at most ${most} bytes`;
  throw new F3Error('F3_UPLOAD_LIMIT', `${name}: ${rule}, got ${4 * numbers}`);
}

export function requireParts(name: string, batches: number, columns: number): void {
  if (batches * columns <= MOST_PARTS) return;
  const rule = `batches times columns must be at most ${MOST_PARTS}`;
  throw new F3Error(
    'F3_UPLOAD_LIMIT',
    `${name}: ${rule}, got ${batches} times ${columns}; write fewer, larger batches`,
  );
}
