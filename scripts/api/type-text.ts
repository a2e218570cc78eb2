// Types and signatures as a reader wants them: as their author wrote them, without what only the compiler needs.
import {
  type Node,
  type NodeArray,
  type ParameterDeclaration,
  SyntaxKind,
  type TypeNode,
  type TypeParameterDeclaration,
} from 'typescript/unstable/ast';
import { type Checker, NodeBuilderFlags, type Project, type Signature, type Type } from 'typescript/unstable/sync';

/** A call, in parts, so that a long one can be put on several lines. */
export interface Call {
  /** `<T>`, or nothing. */
  typeParameters: string;
  parameters: string[];
  returns: string;
}

/** What declares a call, as far as it is read here. */
interface Callable extends Node {
  readonly typeParameters?: NodeArray<TypeParameterDeclaration>;
  readonly parameters: NodeArray<ParameterDeclaration>;
  readonly type?: TypeNode;
}

/** How long a line of code may be. */
export const LINE = 100;

/** Brackets and commas of several lines, once these have become one. */
const JOINTS: readonly [RegExp, string][] = [
  [/\s+/g, ' '],
  [/([([<]) /g, '$1'],
  [/,? ([)\]>])(?!=)/g, '$1'],
  [/^\| /, ''],
  [/([:(<]) \| /g, '$1 '],
];

/** A type on one line. Comments inside of it are left out. What stands on one line already is left alone: it may be a text. */
export function typeText(written: string): string {
  const bare = written.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  const joints = bare.includes('\n') ? JOINTS : [];
  const line = joints.reduce((text, [pattern, joint]) => text.replace(pattern, joint), bare.trim());
  return line.replaceAll('; }', ' }').replace(/([\w\]]\?: [^;{}()]*?) \| undefined\b/g, '$1');
}

/** The type of something that may be left out: that it may then be undefined goes without saying. */
export function optionalText(type: string): string {
  const bare = type.replace(/ \| undefined$/, '').replace(/^undefined \| /, '');
  const isWrapped = bare !== type && /^\((.*)\)$/.test(bare) && closesAtEnd(bare);
  return isWrapped ? bare.slice(1, -1) : bare;
}

/** Whether the first bracket is closed by the last. */
function closesAtEnd(text: string): boolean {
  let depth = 0;
  for (const [i, char] of [...text].entries()) {
    if (char === '(') depth++;
    if (char === ')' && --depth === 0) return i === text.length - 1;
  }
  return false;
}

/** What the compiler found where nobody wrote a type. */
export function foundType(checker: Checker, type: Type | undefined, how = NodeBuilderFlags.None): string {
  if (!type) return 'unknown';
  const flags = how | NodeBuilderFlags.NoTruncation | NodeBuilderFlags.UseSingleQuotesForStringLiteralType;
  const found = checker.typeToString(type, undefined, flags);
  // The compiler names a module by where it lies on this machine; a reader needs the part that is ours.
  return typeText(found.replaceAll(/import\('[^']*\/(src\/[^']*)'\)/g, "import('$1')"));
}

export function readCall(project: Project, signature: Signature): Call {
  const { checker } = project;
  const node = signature.declaration?.resolve(project) as Callable | undefined;
  if (!node) throw new Error('signature: its declaration must be readable');
  return {
    typeParameters: typeParameterText(node),
    parameters: node.parameters.map((parameter, i) =>
      parameterText(parameter, foundType(checker, checker.getParameterType(signature, i))),
    ),
    returns: node.type
      ? typeText(node.type.getText())
      : foundType(checker, checker.getReturnTypeOfSignature(signature)),
  };
}

export function typeParameterText({ typeParameters }: Pick<Callable, 'typeParameters'>): string {
  if (!typeParameters?.length) return '';
  return `<${typeParameters.map((parameter) => typeText(parameter.getText())).join(', ')}>`;
}

function parameterText(
  { name, type, initializer, questionToken, dotDotDotToken }: ParameterDeclaration,
  found: string,
) {
  const written = type ? typeText(type.getText()) : found;
  const isPlain = name.kind !== SyntaxKind.ObjectBindingPattern;
  const label = isPlain ? name.getText() : packedName(written);
  const value = initializer?.getText();
  if (dotDotDotToken) return `...${label}: ${written}`;
  if (value !== undefined && isPlain && isShort(value)) return `${label}: ${optionalText(written)} = ${value}`;
  const isOptional = value !== undefined || questionToken !== undefined;
  return isOptional ? `${label}?: ${optionalText(written)}` : `${label}: ${written}`;
}

/** A default that says more than "nothing". */
const isShort = (value: string): boolean => value.length <= 30 && value !== '{}' && value !== '[]';

/** A name for an argument that the code takes apart at once: a `PreparedPass` is called `pass`. */
function packedName(type: string): string {
  const [first = 'Options'] = type.match(/(?<=^|[<,] ?)[A-Z]\w+(?![\w<])/) ?? [];
  return first.match(/[A-Z][^A-Z]*$/)?.[0].toLowerCase() ?? 'options';
}

/** A call on one line, or with one parameter on each. */
export function callText(before: string, { typeParameters, parameters, returns }: Call, indent = ''): string {
  const start = `${indent}${before}${typeParameters}`;
  const end = returns === '' ? '' : `: ${returns}`;
  const line = `${start}(${parameters.join(', ')})${end}`;
  if (line.length <= LINE || parameters.length === 0) return line;
  return `${start}(\n${parameters.map((parameter) => `${indent}  ${parameter},\n`).join('')}${indent})${end}`;
}
