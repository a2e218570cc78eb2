// docs/api has a page per entry point of the package, and each says what its entry point exports.
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { entryMarkdown } from '../scripts/api/entry-markdown.ts';
import { type ApiName, readEntry } from '../scripts/api/read-entry.ts';
import { API_PAGES, type ApiPage, apiPage, readApi } from '../scripts/api-pages.ts';
import { withProject } from './support/open-project.ts';
import { suiteDirectory } from './support/temporary-directory.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

describe('docs/api', () => {
  let api: Map<ApiPage, ApiName[]>;
  beforeAll(() => {
    api = readApi();
  });

  it('has a page for every entry point, and the first page leads to all others', () => {
    const files = readdirSync(join(ROOT, 'docs', 'api')).map((file) => `docs/api/${file}`);
    expect(files.sort()).toEqual(API_PAGES.map(({ file }) => file).sort());
    const first = readFileSync(join(ROOT, 'docs', 'api', 'README.md'), 'utf8');
    for (const file of files.filter((name) => !name.endsWith('README.md'))) {
      expect(first).toContain(`](${file.replace('docs/api/', '')})`);
    }
    expect(first).toContain('](../errors.md)');
  });

  it.each(API_PAGES)('$file is what $specifier exports; npm run docs writes it', (page) => {
    const text = readFileSync(join(ROOT, page.file), 'utf8');
    expect(text).toBe(apiPage(page, api.get(page)!));
    expect(text).not.toContain(ROOT);
  });

  it.each(API_PAGES)('everything that $specifier exports says what it is for', (page) => {
    const silent = api.get(page)!.filter(({ purpose }) => purpose === '');
    expect(silent.map(({ name }) => name)).toEqual([]);
  });
});

const SHAPES = `
/** A thing with corners. */
export class Shape<T> extends Error {
  /** How many. */
  readonly corners: number;
  #secret = 1;
  private hidden = 2;
  /** Makes one. */
  constructor(corners: number, private readonly label = 'none') { super(); this.corners = corners; }
  static of(...corners: number[]): Shape<string> { return new Shape(corners.length + this.name.length); }
  /** Its area. */
  get area(): number { return this.#secret + this.hidden + this.label.length; }
  measure({ scale = 1 }: { scale?: number | undefined } = {}, times = 3): T | undefined { void scale; void times; return; }
}
const KINDS = ['flat', 'round'] as const;
/** What kinds there are, a < b. */
export type Kind = (typeof KINDS)[number];
export interface Base { id: string }
/** Choices. */
export interface Choices extends Base {
  /** Called at the end. */
  onEnd?: ((kind: Kind) => void) | undefined;
}
export const LIMIT = 3;
/** Draws. */
export function draw(shape: Shape<string>, { onEnd }: Choices, aVeryLongNameOfAnArgument: string, another?: number): void {
  void [shape, onEnd, aVeryLongNameOfAnArgument, another];
}
`;

describe('a page', () => {
  const place = suiteDirectory();
  let page: string;
  beforeAll(() => {
    const dir = realpathSync(place);
    mkdirSync(join(dir, 'src'));
    writeFileSync(join(dir, 'src', 'shapes.ts'), SHAPES);
    const entry = "export { draw, type Shape } from './shapes.ts';\nexport type * from './shapes.ts';\n";
    writeFileSync(join(dir, 'src', 'index.ts'), `${entry}export * as all from './shapes.ts';\n`);
    const strict = { strict: true, noEmit: true, types: [], allowImportingTsExtensions: true };
    const config = join(dir, 'tsconfig.json');
    writeFileSync(config, JSON.stringify({ compilerOptions: { ...strict, module: 'nodenext' }, include: ['src'] }));
    const names = withProject(config, (project) => readEntry(project, dir, 'src/index.ts'));
    page = entryMarkdown('shapes', names, { extra: '## Between', elsewhere: new Map([['Base', 'See there.']]) });
  });

  it('has functions first, then classes and types; values that are exported as types are no constants', () => {
    const headings = page.split('\n').filter((line) => line.startsWith('#'));
    expect(headings).toEqual([
      '## Functions',
      '### draw',
      '## Namespaces',
      '### all',
      '## Classes',
      '### Shape',
      '## Between',
      '## Types',
      '### Base',
      '### Choices',
      '### Kind',
    ]);
    expect(page).toContain('| functions | [`draw`](#draw) |');
  });

  it('puts a long signature on several lines and names an argument that the code takes apart', () => {
    const parameters = [
      'shape: Shape<string>',
      'choices: Choices',
      'aVeryLongNameOfAnArgument: string',
      'another?: number',
    ];
    const lines = parameters.map((parameter) => `  ${parameter},\n`).join('');
    expect(page).toContain(`### draw\n\n\`\`\`ts\ndraw(\n${lines}): void\n\`\`\`\n\nDraws.\n`);
  });

  it('shows what is public of a class, and its constructor only where a program can call it', () => {
    const [inNamespace, alone] = page.split('## Classes');
    const made = [
      '    /** Makes one. */',
      "    constructor(corners: number, label: string = 'none');",
      '    static of(...corners: number[]): Shape<string>;',
    ];
    expect(inNamespace).toContain(made.join('\n'));
    const shown = [
      'class Shape<T> extends Error {',
      '  /** How many. */',
      '  readonly corners: number;',
      '',
      '  /** Its area. */',
      '  readonly area: number;',
      '  measure(options?: { scale?: number }, times: number = 3): T | undefined;',
      '}',
    ];
    expect(alone).toContain(shown.join('\n'));
    expect(page).not.toMatch(/secret|hidden|stack/);
  });

  it('shows fields with those that are inherited, and spells out what hangs on a hidden constant', () => {
    const rows = [
      '| field | type | what |',
      '|---|---|---|',
      '| `onEnd?` | `(kind: Kind) => void` | Called at the end. |',
      '| `id` | `string` |  |',
    ];
    expect(page).toContain(`### Choices\n\nChoices.\n\n${rows.join('\n')}`);
    expect(page).toContain("What kinds there are, a &lt; b.\n\n```ts\ntype Kind = 'flat' | 'round'\n```");
    expect(page).toContain('### Base\n\nSee there.\n');
  });
});
