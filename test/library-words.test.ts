// Errors of the library and the coordinator use their callers' words: no flag of the command line.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const src = fileURLToPath(new URL('../src', import.meta.url));

/** Lines that make a message: an error, or a part of one under a name that messages are made from. */
const MESSAGE = /Error\(|\b(rule|message|hint|found|wanted|text) =|^\s*[`'"].*[`'"],?$/;
/** A flag that is not part of a whole command such as `f3 reproduce all --update`. */
const FLAG = /^(?!.*\bf3 [a-z])[^`'"]*[`'"](.*[ (`'"])?--([a-z]|\$\{)/;

const isFlagMessage = (line: string): boolean =>
  !/^\s*(\/\/|\*|\/\*)/.test(line) && MESSAGE.test(line) && FLAG.test(line);

test('no message outside src/cli names a flag', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !/^(cli|figures)\b/.test(file),
  );
  expect(files.length).toBeGreaterThan(300);
  const named = files.flatMap((file) =>
    readFileSync(join(src, file), 'utf8')
      .split('\n')
      .filter(isFlagMessage)
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(named).toEqual([]);
});

test('finds flags in messages, and leaves commands alone', () => {
  const flags = [
    "throw new F3Error('F3_DATA_EXISTS', 'output x: must not exist unless --force is given');",
    "const rule = 'must be one of a, b (--columns)';",
    `throw new F3Error('F3_OPTION', \`--\${option}: must be an integer\`);`,
  ];
  const others = [
    "const message = 'run f3 reproduce all --update again';",
    '// --force replaces it',
    "if (--left < 0) throw new Error('too many');",
  ];
  expect(flags.filter(isFlagMessage)).toEqual(flags);
  expect(others.filter(isFlagMessage)).toEqual([]);
});
