// Tests that need something which a machine may lack: they are skipped there, and the run's summary says why.
import { describe } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Why the tests below are skipped. */
    missing?: string;
  }
}

/** `missing` says what is lacking, '' if nothing is. */
export function describeUnless(missing: string, name: string, tests: () => void): void {
  describe(name, { skip: missing !== '', meta: { missing } }, tests);
}
