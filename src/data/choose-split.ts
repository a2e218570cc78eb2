// [owner] The split a user asks for: a whole number is a seed, anything else a file.

import { randomSplit } from '../sample-parts.ts';
import { readText } from './read-file.ts';
import { parseSplit, type Split } from './split.ts';

export async function chooseSplit(seedOrFile: string, samples: readonly string[]): Promise<Split> {
  if (/^\d+$/.test(seedOrFile)) return randomSplit(samples, Number(seedOrFile));
  return parseSplit(await readText(seedOrFile), seedOrFile, samples);
}
