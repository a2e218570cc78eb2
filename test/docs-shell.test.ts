// Commands in the documentation mean the same in bash, zsh and fish: no variables, substitutions, loops, assignments or
// comments.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGES = ['README.md', 'CONTRIBUTING.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)];

/**
 * zsh does not split variables into words, and at its prompt takes `# …` for arguments; fish has neither `$(…)` in old versions,
 * `export A=`, nor these loops.
 */
const DIFFERENT =
  /\$[({\w?!@*#]|`|(^|\s)(export|set|source|for|while|if|function)\s|;\s*(do|done|then|fi)\b|<\(|<<|^\w+=|(^|\s)#/;

/** Lines of code blocks that name no language and run a command: ours, npm's, or whatever stands behind a `$`. */
function commandLines(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return Array.from(text.matchAll(/^```(\w*)\n(.*?)^```/gms), ([, language, block]) => ({ language, block }))
    .filter(({ language }) => ['', 'sh', 'bash'].includes(language))
    .map(({ block }) => block)
    .filter((block) => /^(\$ )?(npx |npm |f3 |openssl |createdb |\w+=|for |export )/m.test(block))
    .flatMap((block) => block.split('\n'))
    .map((line) => line.replace(/^\$ /, ''));
}

it.each(PAGES.filter((page) => page.endsWith('.md')))('%s', (page) => {
  expect(commandLines(page).filter((line) => DIFFERENT.test(line))).toEqual([]);
});

it('finds what differs between shells', () => {
  const lines = [
    'f3 status $K',
    'code=$(f3 owner invite)',
    'export K=1',
    'for owner in a b; do',
    'cat <(ls)',
    '  $owner',
  ];
  expect(lines.filter((line) => DIFFERENT.test(line))).toEqual(lines);
  expect(commandLines('docs/quick-start.md').length).toBeGreaterThan(20);
});
