// [owner] A bundle under noise, and what it costs. The noise belongs to each embedding, so a second push sends the same numbers and costs nothing,
// and a bundle with more samples costs what the new ones cost.
import { join } from 'node:path';
import { makeFolder } from '../../base/make-folder.ts';
import { type Bundle, encodeBundle } from '../../exchange/bundle/bundle.ts';
import { parsePrivacyNote } from '../../exchange/bundle/privacy-note.ts';
import { costPerSample, type NoiseOptions } from './noise-embeddings.ts';
import { NoiseKey } from './noise-key.ts';
import { PrivacyBudget, type PrivacyLimit, type SpentBudget } from './privacy-budget.ts';
import { epsilonOf } from './zcdp.ts';

const FOLDER = 'privacy';
const BUDGET_FILE = 'spent.jsonl';

/** A bundle under noise. It may be sent once it is paid for. */
export interface NoisyBundle {
  bytes: Uint8Array;
  /** Pays, on disk, and is called right before the bundle leaves: what was paid for counts as sent, whatever happens then. Asked again, it gives the same answer. */
  pay(): PaidNoise;
}

/** What was paid for a bundle. */
export interface PaidNoise {
  /** Where its owner stands, this bundle included. */
  spent: SpentBudget;
  /** Samples that had to be paid for; the others were sent before as they are now. */
  paid: number;
}

/** The budget that an owner keeps in its folder. */
export function openBudget(folder: string): PrivacyBudget {
  makeFolder(join(folder, FOLDER), 'F3_HOME');
  return PrivacyBudget.open(join(folder, FOLDER, BUDGET_FILE));
}

/** The noise of an owner, from the key in its folder. */
export function openNoiseKey(folder: string): NoiseKey {
  makeFolder(join(folder, FOLDER), 'F3_HOME');
  return NoiseKey.open(join(folder, FOLDER));
}

/** Refused if it would take one sample past the limit. Votes are left out: they are computed from the readings and have no noise. */
export function noisyBundle(bundle: Bundle, options: NoiseOptions, limit: PrivacyLimit, folder: string): NoisyBundle {
  const { samples, width } = bundle;
  const { embeddings, rows } = openNoiseKey(folder).noise(samples, bundle.embeddings, width, options);
  const cost = costPerSample(options, width);
  const budget = openBudget(folder);
  const release = { cost, samples, rows };
  budget.requireRoom(release, limit);
  const { classes: _classes, probabilities: _votes, ...rest } = bundle;
  const epsilon = Number(epsilonOf(cost, limit.delta).toPrecision(6));
  const before = bundle.privacy === undefined ? undefined : parsePrivacyNote(bundle.privacy);
  const privacy = { ...before, mechanism: 'discrete Gaussian', ...options, epsilon, delta: limit.delta };
  const bytes = encodeBundle({ ...rest, embeddings, privacy: JSON.stringify(privacy) });
  let answer: PaidNoise | undefined;
  const pay = () => {
    answer ??= { paid: budget.spend(release, limit), spent: budget.spent(limit.delta) };
    return answer;
  };
  return { bytes, pay };
}
