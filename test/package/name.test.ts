// The package is federated-feature-fusion, the command f3. On npm `f3` is somebody else's: nobody is told to install that.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LEFT_ALONE = ['.git', 'node_modules', 'dist', 'build', 'results', 'coverage', 'package-lock.json'];
const TEXT = /\.(md|ts|mjs|js|json|py|toml|ya?ml|html|sh|service)$|(^|\/)(Dockerfile|run)[^/]*$/;

/** What would fetch the package `f3` from the registry, or import it. */
const STRANGER = [
  /\bnpm (?:i|in|install|add|link|exec)(?: -{1,2}[\w-]+)* f3(?![\w-])/,
  /\b(?:yarn|pnpm|bun) (?:global )?(?:add|install|dlx|x)(?: -{1,2}[\w-]+)* f3(?![\w-])/,
  /\b(?:npx|pnpx|bunx)(?: -{1,2}(?!p\b|package\b)[\w-]+)* f3(?![\w-])/,
  /\b(?:from|import|require)\s*\(?\s*["']f3(?:\/[^"']*)?["']/,
];

function textFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter(({ name }) => !LEFT_ALONE.includes(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return textFiles(path);
      return entry.isFile() && TEXT.test(path) ? [path] : [];
    });
}

const isStranger = (line: string): boolean => STRANGER.some((pattern) => pattern.test(line));

test.each([
  'npm install -g f3',
  'npm i f3@latest',
  'npx f3 --help',
  'npx -y f3 demo',
  "import { fuse } from 'f3';",
  "import('f3/client')",
  'pnpm add f3',
])('%s is recognised', (line) => {
  expect(isStranger(line)).toBe(true);
});

test.each([
  'npm install -g federated-feature-fusion',
  'npx -p federated-feature-fusion f3 demo',
  "from 'federated-feature-fusion/client'",
])('%s is in order', (line) => {
  expect(isStranger(line)).toBe(false);
});

test('no file of the project installs, runs or imports the package f3', () => {
  const files = textFiles('.').filter((file) => !file.endsWith(join('package', 'name.test.ts')));
  expect(files).toContain('README.md');
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, i) => (isStranger(line) ? [`${file}:${i + 1} ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});

test('the manifest has the name, the command and the addresses that npm shows', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  expect(manifest).toMatchObject({ name: 'federated-feature-fusion', bin: { f3: 'dist/cli/main.mjs' } });
  expect([lock.name, lock.packages[''].name]).toEqual([manifest.name, manifest.name]);
  expect(manifest.repository.url).toMatch(/^git\+https:/);
  for (const address of [manifest.homepage, manifest.bugs]) expect(URL.canParse(address)).toBe(true);
  expect(manifest.keywords.length).toBeGreaterThan(4);
});
