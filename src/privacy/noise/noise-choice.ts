// [owner] The noise that an owner has chosen, kept in its folder: what was sent under noise once is not sent without by mistake.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../base/make-folder.ts';
import { writeWholeFile } from '../../base/whole-file.ts';
import { F3Error } from '../../errors.ts';
import type { NoiseOptions } from './noise-embeddings.ts';
import type { PrivacyLimit } from './privacy-budget.ts';

/** Noise and how far it may be used. */
export interface NoiseChoice extends NoiseOptions, PrivacyLimit {}

const CHOICE_FILE = join('privacy', 'choice.json');

/** Undefined where embeddings leave as they are. */
export function noiseChoice(folder: string): NoiseChoice | undefined {
  const file = join(folder, CHOICE_FILE);
  if (!existsSync(file)) return undefined;
  try {
    return checkNoiseChoice(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new F3Error('F3_HOME', `${file}: must hold clip, noise, epsilon and delta, got something else`, { cause });
  }
}

export function keepNoiseChoice(folder: string, choice: NoiseChoice): void {
  const file = join(folder, CHOICE_FILE);
  makeFolder(dirname(file), 'F3_HOME');
  writeWholeFile(file, `${JSON.stringify(choice, null, 2)}\n`, file, 'F3_HOME');
}

/** Throws unless all four are numbers that make sense. */
export function checkNoiseChoice({ clip, noise, epsilon, delta }: Partial<NoiseChoice>): NoiseChoice {
  for (const [name, value] of Object.entries({ clip, noise, epsilon, delta })) {
    const isNumber = typeof value === 'number' && Number.isFinite(value) && value > 0;
    if (isNumber && (name !== 'delta' || value < 1)) continue;
    const rule = name === 'delta' ? 'must be a number between 0 and 1' : 'must be a number above 0';
    throw new F3Error('F3_ARGUMENT', `noise: ${name} ${rule}, got ${value}`);
  }
  return { clip, noise, epsilon, delta } as NoiseChoice;
}
