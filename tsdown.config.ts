// The published package: dist mirrors src, file by file, with the compiled kernels beside their loader.

import { globSync } from 'node:fs';
import { defineConfig } from 'tsdown';

// A worker is started by its address, not imported, so the bundler has to be told of it.
const entries = ['src/index.ts', 'src/cli/main.ts', ...globSync('src/**/*worker.ts')];

export default defineConfig({
  entry: entries,
  root: 'src',
  format: 'esm',
  platform: 'node',
  target: 'node22',
  dts: true,
  unbundle: true,
  copy: [{ from: 'src/core/kernels/build/*.wasm', to: 'dist/core/kernels/build' }],
});
