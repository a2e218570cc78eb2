// The published package: dist mirrors src, file by file, with the compiled kernels and the empty database beside their loaders.

import { globSync } from 'node:fs';
import { defineConfig } from 'tsdown';
import manifest from './package.json' with { type: 'json' };

// What package.json offers by name is built from the file of the same place in src.
const offered = Object.values(manifest.exports).flatMap((target) =>
  typeof target === 'string' ? [] : [target.default.replace('./dist/', 'src/').replace('.mjs', '.ts')],
);
// A worker is started by its address, not imported, so the bundler has to be told of it.
const started = globSync('src/**/*worker.ts');

export default defineConfig({
  entry: ['src/cli/main.ts', ...offered, ...started],
  root: 'src',
  format: 'esm',
  platform: 'node',
  target: 'node22',
  dts: true,
  unbundle: true,
  copy: [
    { from: 'src/core/kernels/build/*.wasm', to: 'dist/core/kernels/build' },
    { from: 'src/storage/database/build/empty-database.br', to: 'dist/storage/database/build' },
    {
      from: ['dashboard/build/index.html', 'dashboard/build/favicon.svg', 'dashboard/build/assets'],
      to: 'dist/dashboard',
    },
  ],
});
