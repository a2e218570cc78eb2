// How elementwise and row-wise work is split into tasks: by sizes only, never by the number of threads.

/** Floats per task: some microseconds of work. A multiple of four, as the kernels' vectors need. */
export const CHUNK = 16_384;

/** Rows of `width` numbers that make up about one chunk. */
export function rowsPerTask(width: number): number {
  return Math.max(1, Math.ceil(CHUNK / width));
}
