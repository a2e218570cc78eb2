// Tests lie beside what they test, or in test/ when they cross folders.

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // One process per test file: each has its own shared WebAssembly memory and may start worker threads of its own.
    pool: 'forks',
    // Vitest leaves a core free; half of our tests wait for processes they started, so nothing is gained by that.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
