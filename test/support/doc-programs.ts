// The programs in a document: its js blocks, and what a comment behind a console.log says that it prints.

export interface DocProgram {
  code: string;
  /** Lines that the program must print, in their order; other lines may stand between them. */
  prints: string[];
}

/** Every js block of a Markdown document. A block that imports nothing is no program, and is refused. */
export function docPrograms(markdown: string): DocProgram[] {
  return Array.from(markdown.matchAll(/^```js\n(.*?)^```$/gms), ([, code]) => {
    if (!code.startsWith('import '))
      throw new Error(`a js block must begin with an import, got ${code.split('\n')[0]}`);
    return { code, prints: Array.from(code.matchAll(/^\s*console\.log\(.*\); \/\/ (.*)$/gm), ([, value]) => value) };
  });
}

/** The first line that was to be printed and was not, after those before it; undefined when all were. */
export function missingLine(prints: readonly string[], printed: string): string | undefined {
  const lines = printed.split('\n').values();
  return prints.find((wanted) => !lines.some((line) => line === wanted));
}
