// Writes figures into a folder, each of them whole, and leaves no temporary files.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unwritable } from '../base/unwritable.ts';

/** `figures`: file name → SVG. The folder is created if it is missing; existing figures are replaced. Returns the paths. */
export function writeFigures(dir: string, figures: Readonly<Record<string, string>>): string[] {
  const moves: { from: string; to: string }[] = [];
  try {
    mkdirSync(dir, { recursive: true });
    for (const [name, svg] of Object.entries(figures)) {
      const from = join(dir, `.${name}.${process.pid}.tmp`);
      moves.push({ from, to: join(dir, name) });
      writeFileSync(from, svg);
    }
    for (const { from, to } of moves) renameSync(from, to);
  } catch (cause) {
    throw unwritable(`output ${dir}`, cause, 'F3_MODEL_UNWRITABLE');
  } finally {
    for (const { from } of moves) rmSync(from, { force: true });
  }
  return moves.map(({ to }) => to);
}
