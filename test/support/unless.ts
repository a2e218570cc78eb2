// Tests that need something which a machine may lack: they are skipped there, and the run's summary says why.
import type { TestOptions } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Why the test, or the tests below, are skipped. */
    missing?: string;
  }
}

/** Options of a `test` or a `describe`. `missing` says what the machine lacks, '' if it lacks nothing. */
export const unless = (missing: string): TestOptions => ({ skip: missing !== '', meta: { missing } });
