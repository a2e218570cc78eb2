// What an entry point exports, read with TypeScript's own checker: calls, members, fields and what their comments say.
import { join } from 'node:path';
import {
  type ClassDeclaration,
  type InterfaceDeclaration,
  type Node,
  type SourceFile,
  SyntaxKind,
  type TypeAliasDeclaration,
  type TypeNode,
} from 'typescript/unstable/ast';
import { isExportDeclaration } from 'typescript/unstable/ast/is';
import {
  type Checker,
  type Symbol as Declared,
  NodeBuilderFlags,
  type Project,
  SignatureKind,
  SymbolFlags,
} from 'typescript/unstable/sync';
import { type Call, foundType, LINE, optionalText, readCall, typeParameterText, typeText } from './type-text.ts';

/** A field of a type, or a property of a class. */
export interface ApiField {
  /** With a question mark where it may be left out. */
  name: string;
  type: string;
  purpose: string;
}

export interface ApiMember {
  /** `readonly`, `static` and the like, each with a space behind it. */
  prefix: string;
  name: string;
  purpose: string;
  /** Nothing for a property. */
  calls: Call[];
  type: string;
}

interface Named {
  name: string;
  purpose: string;
}

interface ClassFacts {
  kind: 'class';
  typeParameters: string;
  /** ` extends …`, ` implements …` */
  heritage: string;
  members: ApiMember[];
}

interface ConstantFacts {
  kind: 'constant';
  type: string;
}

/** An interface, or another type that is best told by its fields. */
interface FieldFacts {
  kind: 'fields';
  typeParameters: string;
  fields: ApiField[];
  /** Types of others whose fields it has too. */
  beside: string[];
}

interface TypeFacts {
  kind: 'type';
  typeParameters: string;
  written: string;
}

export type ApiName = Named &
  (
    | { kind: 'function'; calls: Call[] }
    | { kind: 'namespace'; names: ApiName[] }
    | ClassFacts
    | ConstantFacts
    | FieldFacts
    | TypeFacts
  );

/** Of a constant with many keys, these are shown. */
const SHOWN_KEYS = 8;
/** A type that is longer when it is spelled out is shown as its author wrote it. */
const SHOWN_TYPE = 400;

/** Everything that the module in `file` exports, by name. */
export function readEntry(project: Project, root: string, file: string): ApiName[] {
  const source = project.program.getSourceFile(join(root, file));
  const module = source && project.checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${file}: must be a module`);
  return new EntryReader(project, join(root, 'src')).names(module);
}

class EntryReader {
  readonly #project: Project;
  readonly #checker: Checker;
  /** What others declare is theirs to explain. */
  readonly #own: string;

  constructor(project: Project, own: string) {
    this.#project = project;
    this.#checker = project.checker;
    this.#own = own.toLowerCase();
  }

  names(module: Declared): ApiName[] {
    const typesOnly = this.#typesOnly(module);
    return this.#checker
      .getExportsOfModule(module)
      .flatMap((exported) => {
        const symbol = exported.flags & SymbolFlags.Alias ? this.#checker.getAliasedSymbol(exported) : exported;
        const isTypeOnly = this.#isNamedTypeOnly(exported) ?? typesOnly.has(symbol.id);
        if (isTypeOnly && (symbol.flags & SymbolFlags.Type) === 0) return [];
        return [this.#read(exported.name, symbol, isTypeOnly)];
      })
      .sort((a, b) => compare(a.name.toLowerCase(), b.name.toLowerCase()) || compare(a.name, b.name));
  }

  #read(name: string, symbol: Declared, isTypeOnly: boolean): ApiName {
    const named = { name, purpose: this.#purpose(symbol) };
    const { flags } = symbol;
    if (flags & SymbolFlags.Module) {
      return { name, purpose: firstComment(this.#node(symbol)), kind: 'namespace', names: this.names(symbol) };
    }
    if (flags & SymbolFlags.Class) return { ...named, ...this.#readClass(symbol, isTypeOnly) };
    if (flags & SymbolFlags.Interface) return { ...named, ...this.#readFields(symbol) };
    if (flags & SymbolFlags.TypeAlias) return { ...named, ...this.#readAlias(symbol) };
    const calls = this.#calls(symbol);
    return calls.length > 0 ? { ...named, kind: 'function', calls } : { ...named, ...this.#readConstant(symbol) };
  }

  #calls(symbol: Declared): Call[] {
    const type = this.#checker.getTypeOfSymbol(symbol);
    const found = type ? this.#checker.getSignaturesOfType(type, SignatureKind.Call) : [];
    return found.map((signature) => readCall(this.#project, signature));
  }

  #readConstant(symbol: Declared): ConstantFacts {
    const written = this.#writtenType(symbol);
    const type = this.#checker.getTypeOfSymbol(symbol);
    if (written || !type) return { kind: 'constant', type: written ?? 'unknown' };
    const found = foundType(this.#checker, type);
    if (found.length <= LINE) return { kind: 'constant', type: found };
    const keys = this.#checker.getPropertiesOfType(type);
    if (!keys.every((key) => this.#isOwn(key))) return { kind: 'constant', type: `${found.split('<')[0]}<…>` };
    const shown = keys.slice(0, SHOWN_KEYS).map(({ name }) => name);
    return { kind: 'constant', type: `{ ${shown.join(', ')}${keys.length > SHOWN_KEYS ? ', …' : ''} }` };
  }

  #readClass(symbol: Declared, isTypeOnly: boolean): ClassFacts {
    const node = this.#node(symbol) as ClassDeclaration;
    const declared = this.#checker.getDeclaredTypeOfSymbol(symbol);
    const inherited = ({ declarations }: Declared) => declarations[0]?.resolve(this.#project)?.parent !== node;
    const members = this.#checker.getPropertiesOfType(declared).filter((member) => !inherited(member));
    const fixed = isTypeOnly ? [] : [...symbol.getExports().values()].filter((member) => this.#isOwn(member));
    return {
      kind: 'class',
      typeParameters: typeParameterText(node),
      heritage: (node.heritageClauses ?? []).map((clause) => ` ${typeText(clause.getText())}`).join(''),
      members: [
        ...(isTypeOnly ? [] : this.#constructors(symbol)),
        ...fixed.sort(byPlace).map((member) => this.#member(member, 'static ')),
        ...members.sort(byPlace).map((member) => this.#member(member, '')),
      ].filter((member) => member !== undefined),
    };
  }

  #constructors(symbol: Declared): ApiMember[] {
    const type = this.#checker.getTypeOfSymbol(symbol);
    const made = type ? this.#checker.getSignaturesOfType(type, SignatureKind.Construct) : [];
    return made.flatMap((signature) => {
      const node = signature.declaration?.resolve(this.#project);
      if (node?.kind !== SyntaxKind.Constructor || node.parent !== this.#node(symbol)) return [];
      if (has(node, SyntaxKind.PrivateKeyword, SyntaxKind.ProtectedKeyword)) return [];
      const calls = [{ ...readCall(this.#project, signature), returns: '' }];
      return [{ prefix: '', name: 'constructor', type: '', purpose: commentOf(node), calls }];
    });
  }

  /** Undefined for what is private. */
  #member(symbol: Declared, prefix: string): ApiMember | undefined {
    const node = this.#node(symbol) as Node & { name?: Node };
    if (!node.name || node.name.kind === SyntaxKind.PrivateIdentifier) return undefined;
    if (has(node, SyntaxKind.PrivateKeyword, SyntaxKind.ProtectedKeyword)) return undefined;
    const isMethod = (symbol.flags & SymbolFlags.Method) !== 0;
    const isGiven = (symbol.flags & SymbolFlags.Accessor) === SymbolFlags.GetAccessor;
    const isReadonly = !isMethod && (isGiven || has(node, SyntaxKind.ReadonlyKeyword));
    return {
      prefix: `${prefix}${isReadonly ? 'readonly ' : ''}`,
      name: node.name.getText(),
      purpose: this.#purpose(symbol),
      calls: isMethod ? this.#calls(symbol) : [],
      type: isMethod ? '' : this.#typeOf(symbol),
    };
  }

  #readAlias(symbol: Declared): FieldFacts | TypeFacts {
    const node = this.#node(symbol) as TypeAliasDeclaration;
    const type = this.#checker.getDeclaredTypeOfSymbol(symbol);
    const properties = this.#checker.getPropertiesOfType(type);
    const mayHaveFields = [SyntaxKind.TypeLiteral, SyntaxKind.TypeReference].includes(node.type.kind);
    const isFields = mayHaveFields && properties.length > 0 && properties.every((property) => this.#isOwn(property));
    if (isFields) return this.#readFields(symbol);
    const written = node.type.getText();
    const flags = NodeBuilderFlags.InTypeAlias;
    const found = written.includes('typeof ') ? foundType(this.#checker, type, flags) : written;
    const isShown = found.length <= SHOWN_TYPE;
    return { kind: 'type', typeParameters: typeParameterText(node), written: isShown ? found : written };
  }

  #readFields(symbol: Declared): FieldFacts {
    const type = this.#checker.getDeclaredTypeOfSymbol(symbol);
    const node = this.#node(symbol) as InterfaceDeclaration;
    const properties = this.#checker.getPropertiesOfType(type);
    const isHere = ({ declarations }: Declared) => declarations[0]?.resolve(this.#project)?.parent === node;
    const own = properties
      .filter((property) => this.#isOwn(property))
      .sort((a, b) => Number(isHere(b)) - Number(isHere(a)) || byPlace(a, b));
    const open = this.#checker.getIndexInfosOfType(type).map(({ keyType, valueType }) => ({
      name: `[${foundType(this.#checker, keyType)}]`,
      type: foundType(this.#checker, valueType),
      purpose: '',
    }));
    const parents = (node.heritageClauses ?? []).flatMap(({ types }) =>
      types.map((parent) => typeText(parent.getText())),
    );
    return {
      kind: 'fields',
      typeParameters: typeParameterText(node),
      fields: [...own.map((field) => this.#field(field)), ...open],
      beside: own.length < properties.length ? parents : [],
    };
  }

  #field(symbol: Declared): ApiField {
    const isOptional = (symbol.flags & SymbolFlags.Optional) !== 0;
    const type = this.#typeOf(symbol);
    return {
      name: `${symbol.name}${isOptional ? '?' : ''}`,
      type: isOptional ? optionalText(type) : type,
      purpose: this.#purpose(symbol),
    };
  }

  #typeOf(symbol: Declared): string {
    return this.#writtenType(symbol) ?? foundType(this.#checker, this.#checker.getTypeOfSymbol(symbol));
  }

  /** Of a field, a property or a constant whose author wrote one down. */
  #writtenType(symbol: Declared): string | undefined {
    const node = this.#node(symbol) as Node & { type?: TypeNode };
    const written = [SyntaxKind.PropertySignature, SyntaxKind.PropertyDeclaration, SyntaxKind.VariableDeclaration];
    const isWritten = written.includes(node.kind) || node.kind === SyntaxKind.GetAccessor;
    const text = isWritten && node.type ? typeText(node.type.getText()) : undefined;
    return text?.includes('typeof ') ? undefined : text; // of a value that may not be exported
  }

  #purpose(symbol: Declared): string {
    return oneLine(this.#checker.getDocumentationCommentOfSymbol(symbol));
  }

  #node(symbol: Declared): Node {
    const node = symbol.declarations[0]?.resolve(this.#project);
    if (!node) throw new Error(`${symbol.name}: its declaration must be readable`);
    return node;
  }

  #isOwn({ declarations: [first] }: Declared): boolean {
    return first?.path.toLowerCase().startsWith(this.#own) ?? false;
  }

  /** What comes in by `export type * from`. */
  #typesOnly(module: Declared): Set<number> {
    const { statements } = this.#node(module) as SourceFile;
    const passed = statements.filter(isExportDeclaration).filter((one) => one.isTypeOnly && !one.exportClause);
    const modules = passed.map((one) => one.moduleSpecifier && this.#checker.getSymbolAtLocation(one.moduleSpecifier));
    return new Set(modules.flatMap((one) => (one ? this.#checker.getExportsOfModule(one).map(({ id }) => id) : [])));
  }

  /** Whether a program may mention the name in types only; undefined where it is not named but passed on with all others. */
  #isNamedTypeOnly(exported: Declared): boolean | undefined {
    const node = exported.declarations[0]?.resolve(this.#project) as Exporting | undefined;
    if (node?.kind !== SyntaxKind.ExportSpecifier) return undefined;
    return node.isTypeOnly === true || node.parent.parent.isTypeOnly === true;
  }
}

interface Exporting extends Node {
  readonly isTypeOnly?: boolean;
  readonly parent: Exporting;
}

const has = (node: Node & { modifiers?: readonly Node[] }, ...kinds: SyntaxKind[]): boolean =>
  node.modifiers?.some(({ kind }) => kinds.includes(kind)) ?? false;

/** Constructors have no symbol of their own to ask for a comment. */
function commentOf(node: Node | undefined): string {
  const [comment] = node?.jsDoc ?? [];
  return comment
    ? oneLine(
        comment
          .getText()
          .replace(/^\/\*\*|\*\/$/g, '')
          .replace(/^\s*\* ?/gm, ''),
      )
    : '';
}

/** What a file says it is, on its first lines. */
function firstComment(file: Node): string {
  const [lines = ''] = file.getSourceFile().text.match(/^(\/\/.*\n)+/) ?? [];
  return oneLine(lines.replace(/^\/\/ ?(\[\w+\] )?/gm, ''));
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** By file and by place in it, whatever order the compiler keeps. */
function byPlace(a: Declared, b: Declared): number {
  const [one, other] = [a.declarations[0], b.declarations[0]];
  return compare(one?.path ?? '', other?.path ?? '') || (one?.index ?? 0) - (other?.index ?? 0);
}
