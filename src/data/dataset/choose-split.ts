// [owner] The split a user asks for: a whole number is a seed, anything else a file.

import { readText } from '../../base/read-file.ts';
import { randomSplit } from '../../exchange/labels/sample-parts.ts';
import { parseSplit, type Split } from '../../exchange/labels/split.ts';

/** The split that a user asks for: a whole number is a seed, anything else a file. */
export async function chooseSplit(seedOrFile: string, samples: readonly string[]): Promise<Split> {
  if (/^\d+$/.test(seedOrFile)) return randomSplit(samples, Number(seedOrFile));
  return parseSplit(await readText(seedOrFile), seedOrFile, samples);
}
