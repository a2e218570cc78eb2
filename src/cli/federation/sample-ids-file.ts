// Reads ids of samples that owners have pushed in shares: JSON without embeddings, or a text file with one id per line.
import { extname } from 'node:path';
import { F3Error } from '../../errors.ts';

/** Undefined for a file with embeddings. */
export async function readSampleIds(file: string): Promise<string[] | undefined> {
  const ending = extname(file).toLowerCase();
  if (['.arrow', '.feather', '.ipc'].includes(ending)) return undefined;
  const { readText } = await import('../../base/read-file.ts');
  const text = await readText(file);
  const ids = ['.txt', '.csv'].includes(ending) ? linesOf(text) : idsOf(text);
  if (!ids) return undefined;
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (ids.length > 0 && twice === undefined) return ids;
  const rule = ids.length === 0 ? 'must name at least one' : 'must be different';
  throw new F3Error(
    'F3_BUNDLE_FORMAT',
    `samples ${file}: ids ${rule}, got ${twice === undefined ? 'none' : `${twice} twice`}`,
  );
}

/** A first line that says `sample` is a title. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return lines.filter((line, i) => line !== '' && !(i === 0 && line === 'sample'));
}

function idsOf(text: string): string[] | undefined {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return undefined;
  }
  const listed = (found as { samples?: unknown } | null)?.samples ?? found;
  if (!Array.isArray(listed)) return undefined;
  const ids = listed.map((one) => (typeof one === 'string' ? one : idOf(one)));
  return ids.every((id) => id !== undefined) ? (ids as string[]) : undefined;
}

function idOf(entry: unknown): string | undefined {
  const { id, embeddings } = (entry ?? {}) as { id?: unknown; embeddings?: unknown };
  return typeof id === 'string' && embeddings === undefined ? id : undefined;
}
