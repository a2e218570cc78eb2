// Tests lie beside what they test, or in test/ when they cross folders.

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // One process per test file: each has its own shared WebAssembly memory and may start worker threads of its own.
    pool: 'forks',
    testTimeout: 60_000,
  },
});
