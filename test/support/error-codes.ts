// Which error codes the sources throw and which ones tests expect, read off the syntax rather than searched for in the text.
import { relative } from 'node:path';
import { type CallExpression, type Node, SyntaxKind } from 'typescript/unstable/ast';
import type { Project } from 'typescript/unstable/sync';

export interface CodeUse {
  code: string;
  /** Relative to the root. */
  file: string;
  /** Whether the text is the code and nothing else. */
  isWhole: boolean;
  /** From the literal's parent up to the file. */
  ancestors: Node[];
}

const CODE = /\bF3_[A-Z0-9_]+\b/g;

/** Every mention of a code in a text or a pattern, in files below `root` that belong to the project. */
export function findCodes({ program }: Project, root: string): CodeUse[] {
  const found: CodeUse[] = [];
  for (const path of program.getSourceFileNames()) {
    const file = relative(root, path);
    if (file.startsWith('..') || file.includes('node_modules')) continue;
    const visit = (node: Node, ancestors: Node[]): undefined => {
      const text = textOf(node);
      for (const [code] of text.matchAll(CODE)) found.push({ code, file, isWhole: code === text, ancestors });
      node.forEachChild((child) => visit(child, [node, ...ancestors]));
    };
    visit(program.getSourceFile(path) as Node, []);
  }
  return found;
}

/** Whether the code is on its way into an error: handed to one, to a function, or set as the code to be thrown. */
export function isThrown({ isWhole, ancestors: [parent, grandparent] }: CodeUse): boolean {
  if (!isWhole) return false;
  switch (parent.kind) {
    case SyntaxKind.NewExpression:
    case SyntaxKind.CallExpression:
    case SyntaxKind.PropertyAssignment:
    case SyntaxKind.Parameter:
    case SyntaxKind.ReturnStatement:
    case SyntaxKind.ConditionalExpression:
      return true;
    case SyntaxKind.BinaryExpression:
      // `known ?? 'F3_CODE'` hands it on, `code === 'F3_CODE'` compares.
      return grandparent.kind === SyntaxKind.NewExpression;
    default:
      return false;
  }
}

/** Whether a test makes an error of this code itself, to see what becomes of it. */
export const isHandedIn = ({ isWhole, ancestors: [parent] }: CodeUse): boolean =>
  isWhole && parent.kind === SyntaxKind.NewExpression && /Error$/.test(nameOf(parent));

/** Whether a test compares something with the code, or holds it in a table of what is to be compared. */
export function isExpected(use: CodeUse): boolean {
  if (isHandedIn(use)) return false;
  for (const [i, node] of use.ancestors.entries()) {
    if (node.kind === SyntaxKind.PropertyAssignment && nameOf(node) === 'body') return false;
    if (node.kind === SyntaxKind.VariableDeclaration) return nameOf(node) !== 'body';
    if (node.kind !== SyntaxKind.CallExpression) continue;
    if (TITLED.includes(nameOf(node))) return false;
    const isArgument = i === 0 || (node as CallExpression).expression !== use.ancestors[i - 1];
    if (isArgument && /^(to[A-Z]|each$|expect.)/.test(nameOf(node))) return true;
  }
  return false;
}

const TITLED = ['describe', 'it', 'test'];

const TEXTS: readonly SyntaxKind[] = [
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
  SyntaxKind.RegularExpressionLiteral,
];

const textOf = (node: Node): string =>
  TEXTS.includes(node.kind) ? ((node as Node & { text?: string }).text ?? '') : '';

interface NamedNode {
  text?: string;
  name?: NamedNode;
}

/** What is called or assigned: the last name of `a.b.c(…)`, `c` of `c: …`. */
function nameOf(node: Node): string {
  const { expression, name } = node as unknown as { expression?: NamedNode; name?: NamedNode };
  return name?.text ?? expression?.name?.text ?? expression?.text ?? '';
}
