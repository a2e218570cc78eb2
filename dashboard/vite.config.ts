// How the page is built: hashed files that live for good, no inline script or style, and what follows from the sources of f3.
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { z } from 'zod';
import { QUOTAS } from '../src/exchange/quotas.ts';
import { FIGURE_COLOURS, PAGE_COLOURS } from '../src/figures/colours.ts';
import { fieldPurposes } from '../src/fuse/field-purposes.ts';
import { type FusionField, fusionConfigSchema, fusionPresets } from '../src/fuse/fusion-config.ts';

const source = (path: string): string => fileURLToPath(new URL(`../src/${path}`, import.meta.url));

interface Generated {
  /** Files whose change changes the text. */
  from: string[];
  text(): string;
}

const colours = Object.entries({ ...FIGURE_COLOURS, ...PAGE_COLOURS });
const variables = (theme: 0 | 1): string => colours.map(([name, pair]) => `${name}:${pair[theme]}`).join(';');

/** A field of the configuration, as a form needs it. */
const field = (name: FusionField) => {
  const { description = '', ...rule } = z.toJSONSchema(fusionConfigSchema.shape[name]);
  const { type, enum: choices, minimum, maximum, exclusiveMaximum } = rule;
  const limits = { minimum, maximum: maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum, exclusiveMaximum };
  return { name, description, type, choices, ...limits, purposes: fieldPurposes(name) };
};

/** Modules that are made from the sources of f3, so that the page carries neither Zod nor a copy of what they say. */
const GENERATED: Record<string, Generated> = {
  'f3:colours.css': {
    from: ['figures/colours.ts'],
    text: () =>
      `:root{color-scheme:light dark;${variables(0)}}@media screen and (prefers-color-scheme:dark){:root{${variables(1)}}}`,
  },
  'f3:fusion-fields': {
    from: ['fuse/fusion-config.ts', 'fuse/field-purposes.ts'],
    text: () => {
      const fields = (Object.keys(fusionConfigSchema.shape) as FusionField[]).map(field);
      return `export const FIELDS = ${JSON.stringify(fields)}; export const PRESETS = ${JSON.stringify(fusionPresets)};`;
    },
  },
  'f3:quotas': { from: ['exchange/quotas.ts'], text: () => `export const QUOTAS = ${JSON.stringify(QUOTAS)};` },
};

const generated: Plugin = {
  name: 'f3-generated',
  /** What the build's stamp has to look at. */
  api: { from: Object.values(GENERATED).flatMap(({ from }) => from.map(source)) },
  resolveId: (id) => (id in GENERATED ? `\0${id}` : undefined),
  load(id) {
    const module = GENERATED[id.slice(1)];
    if (!id.startsWith('\0') || !module) return undefined;
    return module.text();
  },
};

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  logLevel: 'warn',
  plugins: [generated],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    // A data URL in a style sheet or a script inside the page would need a weaker policy than the one that the server sends.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    reportCompressedSize: false,
  },
});
