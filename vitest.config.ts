// Tests lie beside what they test, or in test/ when they cross folders.

import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { makeMemoryFolder } from './test/support/memory-folder.ts';

// The program is started more than a hundred times, and stripping types and compiling is two thirds of a start. Test
// files and the processes they start inherit this; what Node keeps there it checks against the source.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/f3/compiled', import.meta.url));

// Temporary files lie in memory where there is room, unless somebody has said where they are to lie.
const memory = process.env.TMPDIR === undefined ? makeMemoryFolder() : undefined;
if (memory !== undefined) process.env.TMPDIR = memory;

/** Tests that leave nothing behind in their process: their files share one, which saves half a second each. */
const SHARING = ['src/**/*.test.ts', 'test/golden/**/*.test.ts'];
/** Tests with a process per file: of whole programs, which they start, and one that measures the memory of its own. */
const ALONE = ['test/*.test.ts', 'test/!(golden)/**/*.test.ts', 'src/storage/database/open-database.test.ts'];

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'sharing', include: SHARING, exclude: ALONE, isolate: false } },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
    pool: 'forks',
    // As the program does for itself: see src/base/without-maglev.ts.
    setupFiles: ['src/base/without-maglev.ts'],
    sequence: { sequencer: LongestFirst },
    // Vitest leaves a core free. Half of our tests wait for processes they started, so one more than there are cores keeps all busy.
    maxWorkers: availableParallelism() + 1,
    // What child processes and worker threads run is not counted.
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/core/kernels/**'],
      reporter: ['text-summary', 'json-summary', 'html'],
      reportOnFailure: true,
    },
    reporters: ['default', './test/support/closing-reporter.ts'],
    // Where a failure stops everybody, chance gets a second try; the closing lines tell of it, and it is to be mended all the same.
    retry: process.env.CI ? 1 : 0,
    // Against tests that hang, not against machines that are busy.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 60_000,
    // Likewise: what is waited for comes soon, but on a busy machine not within Vitest's second.
    expect: { poll: { timeout: 300_000 } },
  },
});
