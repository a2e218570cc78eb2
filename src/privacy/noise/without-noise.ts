// [owner] When embeddings of an owner left without noise, kept in its folder: no ε holds for samples that left so, whatever was paid for them.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../base/make-folder.ts';
import { writeWholeFile } from '../../base/whole-file.ts';
import { F3Error } from '../../errors.ts';
import { noiseChoice } from './noise-choice.ts';

/** Times as ISO 8601. */
export interface SentWithoutNoise {
  first: string;
  last: string;
}

const FILE = join('privacy', 'without-noise.json');

/** Undefined where nothing left so that we know of. */
export function sentWithoutNoise(folder: string): SentWithoutNoise | undefined {
  const file = join(folder, FILE);
  if (!existsSync(file)) return undefined;
  try {
    const { first, last } = JSON.parse(readFileSync(file, 'utf8')) as Partial<SentWithoutNoise>;
    if ([first, last].every((time) => typeof time === 'string' && !Number.isNaN(Date.parse(time)))) {
      return { first, last } as SentWithoutNoise;
    }
  } catch {
    // One message stands for a file that is no JSON and for JSON of another kind.
  }
  throw new F3Error('F3_HOME', `${file}: must hold the first and the last time, got something else`);
}

/** On disk before embeddings leave without noise. */
export function noteWithoutNoise(folder: string, now = new Date()): void {
  const file = join(folder, FILE);
  const last = now.toISOString();
  try {
    const { first = last } = sentWithoutNoise(folder) ?? {};
    makeFolder(dirname(file), 'F3_HOME');
    writeWholeFile(file, `${JSON.stringify({ first, last })}\n`, file, 'F3_HOME');
  } catch (cause) {
    // Where noise was never chosen there is no ε that this could belie, and a home that cannot be written to does not stop a push.
    if (noiseChoice(folder)) throw cause;
  }
}
