// The command line that is running, as it can be typed again: for reports that say where their figures come from.

/** `words`: what follows the program, as Node has it. Words with characters that a shell reads otherwise are quoted. */
export function typedCommand(words: readonly string[] = process.argv.slice(2)): string {
  const quoted = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
  return ['f3', ...words.map(quoted)].join(' ');
}
