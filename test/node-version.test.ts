// Which Node is needed is explained in one place, CONTRIBUTING.md, and nothing says otherwise.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const { engines, devDependencies } = JSON.parse(read('package.json'));
const SECTION = /### Which Node\n(.*?)\n##/s.exec(read('CONTRIBUTING.md'))?.[1] ?? '';
const rows = [...SECTION.matchAll(/^\| (.*?) \| Node ([\d.]+) or newer \|/gm)].map(([, purpose, version]) => ({
  purpose,
  version,
}));

/** Pages for readers, but those that report what a run was made with. */
const inFolder = (dir: string) =>
  readdirSync(join(ROOT, dir), { recursive: true, encoding: 'utf8' }).map((name) => join(dir, name));
const pages = [...readdirSync(ROOT), ...inFolder('docs'), ...inFolder('examples')].filter(
  (file) => file.endsWith('.md') && !file.startsWith(join('docs', 'results')),
);

describe('the Node that is needed', () => {
  it('is stated for a clone, for the package and for TypeScript as it is', () => {
    expect(rows).toHaveLength(3);
    const [clone, used, typescript] = rows;
    expect(clone.purpose).toContain('work in a clone');
    expect(read('scripts/setup.mjs')).toContain(`any Node >= ${clone.version}`);
    expect(engines.node).toBe(`>=${used.version}`);
    expect(typescript.purpose).toContain('TypeScript');
    expect(SECTION).toContain(`everything else runs on Node ${devDependencies.node.split('.')[0]}`);
  });

  it('is the same on every page', () => {
    const stated = rows.map(({ version }) => version);
    const found = pages.flatMap((file) =>
      Array.from(read(file).matchAll(/Node(?:\.js)? (\d+(?:\.\d+)*) or (?:newer|later|above)/g), ([, version]) => ({
        file,
        version,
      })),
    );
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter(({ version }) => !stated.includes(version))).toEqual([]);
  });
});
