// An exported type has one name in the whole tree, and that name means nothing else: a reader who knows one knows them all.
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SymbolFlags } from 'typescript/unstable/sync';
import { expect, test } from 'vitest';
import { withProject } from './support/open-project.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TYPE = SymbolFlags.Class | SymbolFlags.Interface | SymbolFlags.TypeAlias | SymbolFlags.Enum;

/** Lines `Name: file, file`, for names under which files below `folder` export different types. */
function sharedNames(config: string, folder: string): string[] {
  return withProject(config, ({ program, checker }) => {
    const places = new Map<string, Map<number, string>>();
    for (const path of program.getSourceFileNames()) {
      const file = path.startsWith(folder) ? program.getSourceFile(path) : undefined;
      const module = file && checker.getSymbolAtLocation(file);
      for (const exported of module ? checker.getExportsOfModule(module) : []) {
        const symbol = exported.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
        if ((symbol.flags & TYPE) === 0) continue;
        const meanings = places.get(exported.name) ?? new Map<number, string>();
        // A re-export is the same symbol, and is shown where the type is declared.
        meanings.set(symbol.id, relative(folder, symbol.declarations[0].path));
        places.set(exported.name, meanings);
      }
    }
    return [...places]
      .filter(([, meanings]) => meanings.size > 1)
      .map(([name, meanings]) => `${name}: ${[...meanings.values()].sort().join(', ')}`)
      .sort();
  });
}

test('every exported type of src has a name of its own', () => {
  expect(sharedNames(join(ROOT, 'tsconfig.json'), join(ROOT, 'src') + sep)).toEqual([]);
});

test('two types of one name are found, and re-exports are not mistaken for them', () => {
  const dir = realpathSync(temporaryDirectory());
  const files = {
    'a.ts': 'export interface Twice { a: number }\nexport interface Once { a: number }\nexport const twice = 1;',
    'b.ts': "export type Twice = string;\nexport type { Once } from './a.ts';\nexport const twice = 2;",
    'c.ts': "import type { Once } from './a.ts';\nexport type { Once };\nexport type { Once as Alias } from './b.ts';",
    'd.ts': 'class Alias {}\nexport { Alias };',
  };
  mkdirSync(join(dir, 'src'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, 'src', name), text);
  const compilerOptions = { module: 'nodenext', noEmit: true, types: [], allowImportingTsExtensions: true };
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
  expect(sharedNames(join(dir, 'tsconfig.json'), join(dir, 'src') + sep)).toEqual([
    'Alias: a.ts, d.ts',
    'Twice: a.ts, b.ts',
  ]);
});
