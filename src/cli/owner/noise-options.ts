// The options of commands that send embeddings, and how much of them is sent.
import type { Command } from 'commander';
import { F3Error } from '../../errors.ts';
import { appliedPrivacy } from '../../exchange/bundle/applied-privacy.ts';
import type { Bundle } from '../../exchange/bundle/bundle.ts';
import { makeHomeFolder } from '../../exchange/identity/home.ts';
import type { NoiseChoice } from '../../privacy/noise/noise-choice.ts';
import type { NoiseOptions } from '../../privacy/noise/noise-embeddings.ts';
import type { PaidNoise } from '../../privacy/noise/noisy-bundle.ts';
import { numberFrom } from '../option-values.ts';
import type { PseudonymousSender } from './pseudonym-options.ts';
import { passGate, type RecoveryFlags } from './recovery-gate.ts';

export interface NoiseFlags {
  /** What we advise to owners whose readings must not be told. */
  private?: boolean;
  clip?: number;
  /** False with --no-noise. */
  noise?: number | false;
  maxEpsilon?: number;
  delta?: number;
}

/** What `--private` adds to embeddings from a bottleneck: noise of so many lengths of the cut, √d, and the ε that one release of it needs. */
const PRIVATE = { noise: 0.365, epsilon: 40 };
const MAX_EPSILON = 8;
const DELTA = 1e-5;

export function addNoiseOptions(command: Command): Command {
  return command
    .option('--clip <c>', 'with --noise: no embedding is longer than this', numberFrom(1e-9, 1e9))
    .option('--noise <sigma>', 'noise of sigma times --clip on every number; remembered', numberFrom(1e-6, 1e6))
    .option('--no-noise', 'send embeddings as they are, also where noise is remembered')
    .option(
      '--max-epsilon <e>',
      `what no sample may exceed over all that we send (${MAX_EPSILON})`,
      numberFrom(1e-6, 1e6),
    )
    .option('--delta <d>', `the chance that epsilon leaves open (${DELTA})`, numberFrom(1e-15, 0.5));
}

interface ChosenNoise {
  choice: NoiseChoice;
  folder: string;
  /** Lets the owner go on with this noise, once something was paid for with it. */
  keep: () => void;
}

/** Undefined where embeddings leave as they are. An owner that has used noise goes on with it. */
async function chooseNoise(
  flags: NoiseFlags,
  { membership, home }: PseudonymousSender,
  bundle?: Bundle,
): Promise<ChosenNoise | undefined> {
  const { clip, noise, maxEpsilon, delta } = withPrivate(flags, bundle);
  if (noise === false) {
    refuseNoiseFlags({ '--clip': clip, '--max-epsilon': maxEpsilon, '--delta': delta });
    return undefined;
  }
  const { ownerFolder } = await import('../../privacy/owner-folder.ts');
  const folder = ownerFolder(home, membership);
  const { noiseChoice, keepNoiseChoice, checkNoiseChoice } = await import('../../privacy/noise/noise-choice.ts');
  const known = noiseChoice(folder);
  const isAsked = [clip, noise, maxEpsilon, delta].some((value) => value !== undefined);
  if (!isAsked) return known && { choice: known, folder, keep: () => {} };
  const wanted = {
    clip: clip ?? known?.clip,
    noise: noise ?? known?.noise,
    epsilon: maxEpsilon ?? known?.epsilon ?? MAX_EPSILON,
    delta: delta ?? known?.delta ?? DELTA,
  };
  if (wanted.clip === undefined || wanted.noise === undefined) {
    throw new F3Error('F3_OPTION', '--clip and --noise: must be given together, the first time');
  }
  const choice = checkNoiseChoice(wanted as Partial<NoiseChoice>);
  makeHomeFolder(home, folder);
  // A limit is kept at once. Other noise is kept when something was paid for with it: a refused push must not weaken what was agreed.
  keepNoiseChoice(folder, { ...choice, ...(known && { clip: known.clip, noise: known.noise }) });
  return { choice, folder, keep: () => keepNoiseChoice(folder, choice) };
}

/** Whoever sends embeddings as they are must not believe that a limit holds. */
function refuseNoiseFlags(given: Readonly<Record<string, number | undefined>>): void {
  for (const [flag, value] of Object.entries(given)) {
    if (value !== undefined) throw new F3Error('F3_OPTION', `${flag}: must not go with --no-noise, which adds none`);
  }
}

function withPrivate(flags: NoiseFlags, bundle: Bundle | undefined): NoiseFlags {
  if (!flags.private) return flags;
  if (flags.noise !== undefined || flags.clip !== undefined) {
    throw new F3Error('F3_OPTION', '--private: must not go with --clip, --noise or --no-noise, which it decides');
  }
  const applied = bundle && appliedPrivacy(bundle);
  if (bundle === undefined || applied?.bottleneck == null) {
    const rule = 'needs embeddings from a bottleneck, as f3 owner train --bottleneck makes them';
    const found = applied?.answers ? 'rounded answers, which go without noise' : 'others';
    throw new F3Error('F3_OPTION', `--private: ${rule}, got ${found}`);
  }
  const { noise, epsilon } = PRIVATE;
  return { ...flags, clip: Math.sqrt(bundle.width), noise, maxEpsilon: flags.maxEpsilon ?? epsilon };
}

/** A bundle that has passed the gate. */
export interface AllowedBundle {
  /** The bundle under noise, or as it was. */
  bytes: Uint8Array;
  /** Pays for the noise, or notes that there is none: right before it leaves, so that what could not be sent costs nothing. */
  settle(): PaidNoise | undefined;
}

/** The bundle as it may leave, if it passes the gate. */
export async function underNoise(
  bytes: Uint8Array,
  flags: NoiseFlags & RecoveryFlags,
  sender: PseudonymousSender,
): Promise<AllowedBundle> {
  const { decodeBundle } = await import('../../exchange/bundle/bundle.ts');
  const bundle = decodeBundle(bytes, `bundle of ${sender.membership.owner}`);
  const chosen = await chooseNoise(flags, sender, bundle);
  await passGate(bundle, flags, sender, chosen && { clip: chosen.choice.clip, noise: chosen.choice.noise });
  if (!chosen) return { bytes, settle: await withoutNoise(sender) };
  const { choice, folder, keep } = chosen;
  if (bundle.probabilities) {
    process.stderr.write('the votes stay here: they have no noise, and would give away what the noise hides\n');
  }
  const { noisyBundle } = await import('../../privacy/noise/noisy-bundle.ts');
  const noised = noisyBundle(bundle, choice, choice, folder);
  const settle = () => {
    const paid = noised.pay();
    keep();
    return paid;
  };
  return { bytes: noised.bytes, settle };
}

/** What is to be done before embeddings leave as they are. */
async function withoutNoise({ membership, home }: PseudonymousSender): Promise<() => undefined> {
  const { ownerFolder } = await import('../../privacy/owner-folder.ts');
  const { noteWithoutNoise } = await import('../../privacy/noise/without-noise.ts');
  const folder = ownerFolder(home, membership);
  return () => {
    noteWithoutNoise(folder);
    return undefined;
  };
}

export function noiseText({ spent, paid }: PaidNoise): string {
  const { epsilon, delta, samples } = spent;
  const stands = `ε ${epsilon.toPrecision(3)} at δ ${delta} for the most exposed of ${samples} samples`;
  const done =
    paid === 0
      ? 'as it was sent before, nothing spent'
      : paid === samples
        ? 'paid for'
        : `paid for ${paid} ${paid === 1 ? 'sample' : 'samples'} that had not been sent so before`;
  return `noise: ${done}; now ${stands}`;
}

/** A live embedding as it may leave. */
export interface AllowedEmbedding {
  embedding: Float32Array;
  /** As of a bundle. */
  settle(): void;
}

/** What live embeddings get before they leave. */
export interface LiveNoise {
  /** Undefined where they leave as they are. */
  options: NoiseOptions | undefined;
  /** Adds noise to one, if its budget allows it. */
  add(sample: string, embedding: Float32Array): AllowedEmbedding;
}

export async function openLiveNoise(flags: NoiseFlags, sender: PseudonymousSender): Promise<LiveNoise> {
  const chosen = await chooseNoise(flags, sender);
  if (!chosen) {
    const settle = once(await withoutNoise(sender));
    return { options: undefined, add: (_, embedding) => ({ embedding, settle }) };
  }
  const { choice, folder, keep } = chosen;
  const { costPerSample } = await import('../../privacy/noise/noise-embeddings.ts');
  const { openBudget, openNoiseKey } = await import('../../privacy/noise/noisy-bundle.ts');
  const [budget, key] = [openBudget(folder), openNoiseKey(folder)];
  const keepOnce = once(keep);
  const add = (sample: string, embedding: Float32Array) => {
    const samples = [sample];
    const { embeddings, rows } = key.noise(samples, embedding, embedding.length, choice);
    const release = { cost: costPerSample(choice, embedding.length), samples, rows };
    budget.requireRoom(release, choice);
    const settle = () => {
      budget.spend(release, choice);
      keepOnce();
    };
    return { embedding: embeddings, settle };
  };
  return { options: { clip: choice.clip, noise: choice.noise }, add };
}

/** Does something the first time, and again only if that failed. */
function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}
