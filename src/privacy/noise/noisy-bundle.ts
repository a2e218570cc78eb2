// [owner] A bundle under noise. Noise is drawn once per content: the noised bundle is kept, and a second push sends the same bytes,
// because two drawings for the same sample could be averaged.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readBytes } from '../../base/read-file.ts';
import { sha256 } from '../../base/sha256.ts';
import { unwritable } from '../../base/unwritable.ts';
import { writeWholeFile } from '../../base/whole-file.ts';
import { type Bundle, decodeBundle, encodeBundle } from '../../exchange/bundle/bundle.ts';
import { parsePrivacyNote } from '../../exchange/bundle/privacy-note.ts';
import { type NoiseOptions, noiseEmbeddings } from './noise-embeddings.ts';
import { PrivacyBudget, type PrivacyLimit, type SpentBudget } from './privacy-budget.ts';
import { epsilonOf } from './zcdp.ts';

const FOLDER = 'privacy';
const BUDGET_FILE = 'spent.jsonl';

/** A bundle that may be sent. */
export interface NoisyBundle {
  bytes: Uint8Array;
  /** Where its owner stands, this bundle included. */
  spent: SpentBudget;
  /** Whether the noise was drawn before, so that nothing was spent. */
  isRepeated: boolean;
}

/** The budget that a membership keeps in its folder. */
export function openBudget(folder: string): PrivacyBudget {
  makeFolder(join(folder, FOLDER));
  return PrivacyBudget.open(join(folder, FOLDER, BUDGET_FILE));
}

/** Votes are left out: they are computed from the readings and have no noise. */
export async function noisyBundle(
  bundle: Bundle,
  options: NoiseOptions,
  limit: PrivacyLimit,
  folder: string,
): Promise<NoisyBundle> {
  const { samples, embeddings, width } = bundle;
  const key = releaseKey(bundle, options);
  const file = join(folder, FOLDER, `${key}.arrow`);
  const budget = openBudget(folder);
  // Of two processes that send the same in one moment, the second must find the noise of the first and not draw its own.
  const isRepeated = budget.exclusively(() => {
    if (budget.has(key) && existsSync(file)) return true;
    const { embeddings: noised, cost } = noiseEmbeddings(embeddings, width, options);
    const { classes: _classes, probabilities: _votes, ...rest } = bundle;
    const epsilon = Number(epsilonOf(cost, limit.delta).toPrecision(6));
    const before = bundle.privacy === undefined ? undefined : parsePrivacyNote(bundle.privacy);
    const privacy = { ...before, mechanism: 'discrete Gaussian', ...options, epsilon, delta: limit.delta };
    const bytes = encodeBundle({ ...rest, embeddings: noised, privacy: JSON.stringify(privacy) });
    // The budget is paid before the bundle exists, so a crash in between costs a release and gives nothing away.
    budget.spend({ key: budget.has(key) ? `${key} ${randomUUID()}` : key, cost, samples }, limit);
    writeWholeFile(file, bytes, `noised bundle ${file}`, 'F3_HOME');
    return false;
  });
  const bytes = new Uint8Array(await readBytes(file, `noised bundle ${file}`, 'F3_HOME'));
  decodeBundle(bytes, file);
  return { bytes, spent: budget.spent(limit.delta), isRepeated };
}

function releaseKey({ samples, embeddings, width }: Bundle, { clip, noise }: NoiseOptions): string {
  const numbers = new Uint8Array(embeddings.buffer, embeddings.byteOffset, embeddings.byteLength);
  return sha256(JSON.stringify([samples, width, clip, noise]), numbers);
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw unwritable(`folder ${folder}`, cause, 'F3_HOME');
  }
}
