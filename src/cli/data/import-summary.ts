// What an import or a simulation prints at its end.
import type { ImportReport } from '../../data/import/import-report.ts';

export function importSummary({ out, owners, samples, classes, dropped }: ImportReport): string {
  const leftOut = dropped > 0 ? `; ${dropped} windows with gaps left out` : '';
  return `${out}: ${owners} owners, ${samples} samples (${classes.join(' + ')} by class)${leftOut}`;
}

/** The commands to type next, each ready to be copied. */
export const nextLines = (commands: readonly string[]): string[] => ['Next:', ...commands.map((line) => `  ${line}`)];

/** Each owner trains alone; then its bundle is made. */
export function trainingCommands(out: string): string[] {
  const dir = shellWord(out);
  return [`f3 owner train ${dir} --all`, `f3 owner embed ${dir} --all --out ${shellWord(`${out}-bundles`)}`];
}

/** A path as a shell takes it for one word. */
export const shellWord = (path: string): string =>
  /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
