// Types that a package's public declarations mention and no entry point exports, found with TypeScript's own checker.
import { writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type Node, SyntaxKind } from 'typescript/unstable/ast';
import { type Checker, type Symbol as Declared, type NodeHandle, SymbolFlags } from 'typescript/unstable/sync';
import { withProject } from './open-project.ts';

/** A mention of a type, wherever TypeScript allows one. */
const MENTIONS: readonly SyntaxKind[] = [
  SyntaxKind.TypeReference,
  SyntaxKind.ExpressionWithTypeArguments,
  SyntaxKind.TypeQuery,
  SyntaxKind.ImportType,
];

/**
 * @param folder a folder from which whatever the declarations import is found
 * @param dist the folder of the package's own declarations: what others declare is theirs to export
 * @param entries declaration files of the entry points
 * @returns lines `Public (file) mentions Hidden (file)`, sorted
 */
export function unexportedTypes(folder: string, dist: string, entries: readonly string[]): string[] {
  const compilerOptions = { module: 'nodenext', target: 'es2024', strict: true, noEmit: true, types: [] };
  const config = join(folder, 'tsconfig.entries.json');
  writeFileSync(config, JSON.stringify({ compilerOptions, files: entries }));
  return withProject(config, (project) => {
    const { checker, program } = project;
    const offered = new Map<number, Declared>();
    for (const entry of entries) {
      const file = program.getSourceFile(entry);
      const module = file && checker.getSymbolAtLocation(file);
      if (!module) throw new Error(`${entry}: must be a module`);
      collect(checker, module, offered);
    }
    const isOurs = ({ path }: NodeHandle) => path.startsWith(dist + sep);
    const found = new Set<string>();
    for (const symbol of offered.values()) {
      for (const declaration of symbol.declarations.filter(isOurs)) {
        const node = declaration.resolve(project);
        if (!node) throw new Error(`${symbol.name}: its declaration must be readable`);
        for (const mention of mentionsIn(node)) {
          const hidden = resolved(checker, mention);
          if (!hidden || offered.has(hidden.id) || !hasName(hidden)) continue;
          const [where] = hidden.declarations.filter(isOurs);
          if (!where) continue;
          const place = (handle: NodeHandle) => relative(dist, handle.path);
          found.add(`${symbol.name} (${place(declaration)}) mentions ${hidden.name} (${place(where)})`);
        }
      }
    }
    return [...found].sort();
  });
}

/** Everything that a module exports, what its namespaces hold included. */
function collect(checker: Checker, module: Declared, into: Map<number, Declared>): void {
  for (const exported of checker.getExportsOfModule(module)) {
    const symbol = exported.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    if (into.has(symbol.id)) continue;
    into.set(symbol.id, symbol);
    if (symbol.flags & SymbolFlags.Module) collect(checker, symbol, into);
  }
}

/** Private members are declared without their types, so they mention nothing. */
function mentionsIn(node: Node): Node[] {
  const found: Node[] = [];
  const visit = (child: Node): undefined => {
    if (MENTIONS.includes(child.kind)) found.push(child);
    child.forEachChild(visit);
  };
  visit(node);
  return found;
}

function resolved(checker: Checker, mention: Node): Declared | undefined {
  let name: Node | undefined;
  mention.forEachChild((child) => {
    name ??= child;
    return undefined;
  });
  const symbol = name && checker.getSymbolAtLocation(name);
  return symbol && symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** Type parameters and members have no name of their own to export, and `typeof` a constant is shown as what it is. */
const NAMELESS = SymbolFlags.TypeParameter | SymbolFlags.Method | SymbolFlags.Variable | SymbolFlags.ValueModule;
const hasName = ({ flags }: Declared): boolean => (flags & NAMELESS) === 0;
