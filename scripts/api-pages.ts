// Writes docs/api: a page per entry point of the package, everything that it exports below what people wrote: npm run docs
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../package.json' with { type: 'json' };
import { withProject } from '../test/support/open-project.ts';
import { configTable } from './api/config-table.ts';
import { entryMarkdown } from './api/entry-markdown.ts';
import { type ApiName, readEntry } from './api/read-entry.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MARK = '<!-- Below this line: written by npm run docs. -->\n';

export interface ApiPage {
  /** What a program imports from. */
  specifier: string;
  /** The page, in the repository. */
  file: string;
  /** The module, in the repository. */
  entry: string;
}

/** One for each entry point of package.json that is code. */
export const API_PAGES: readonly ApiPage[] = Object.entries(manifest.exports).flatMap(([subpath, target]) => {
  if (typeof target === 'string') return [];
  const name = subpath.replace(/^\.\/?/, '');
  return [
    {
      specifier: join(manifest.name, name),
      file: `docs/api/${name || 'README'}.md`,
      entry: target.default.replace('./dist/', 'src/').replace('.mjs', '.ts'),
    },
  ];
});

/** What each entry point exports. */
export function readApi(): Map<ApiPage, ApiName[]> {
  return withProject(
    join(ROOT, 'tsconfig.json'),
    (project) => new Map(API_PAGES.map((page) => [page, readEntry(project, ROOT, page.entry)])),
  );
}

/** The whole page: what people wrote above the mark, the names below it. */
export function apiPage({ specifier, file }: ApiPage, names: readonly ApiName[]): string {
  const written = readFileSync(join(ROOT, file), 'utf8');
  const end = written.indexOf(MARK);
  if (end < 0) throw new Error(`${file}: must have the line ${MARK.trim()}`);
  const config = names.find(({ name }) => name === 'FusionConfig');
  const isHome = file.endsWith('README.md') && config?.kind === 'fields';
  const parts = entryMarkdown(specifier, names, {
    extra: isHome ? configTable(config.fields) : '',
    elsewhere: new Map([['FusionConfig', `[The table of its fields](${isHome ? '' : 'README.md'}#config).`]]),
  });
  return `${written.slice(0, end + MARK.length)}\n${parts}\n`;
}

if (import.meta.main) {
  for (const [page, names] of readApi()) writeFileSync(join(ROOT, page.file), apiPage(page, names));
}
