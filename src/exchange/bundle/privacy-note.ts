// [wire] What an owner did to its embeddings before it sent them, as its bundle states it. The owner signs the bundle, so it signs this.
import type { Table } from 'apache-arrow';
import { F3Error } from '../../errors.ts';
import { isPlainText } from '../plain-text.ts';

/** The schema's metadata hold the note under this name. */
export const PRIVACY_KEY = 'f3.privacy';

const LONGEST = 2000;
const LONGEST_KIND = 40;
const WIDEST = 1e6;

/** Noise that an owner states. */
export interface NoiseNote {
  mechanism: string;
  clip: number;
  noise: number;
  /** ε that one release of a sample keeps at `delta`. */
  epsilon: number;
  delta: number;
}

/** A local model that was trained against whoever reads windows back from its embeddings. */
export interface ShieldNote {
  /** What stood against the reader, such as `distance-correlation`. */
  kind: string;
  /** Its weight beside the label's loss. */
  weight: number;
}

/** What an owner states: noise, all of it or none, and how its local model was made to keep less. */
export interface PrivacyNote extends Partial<NoiseNote> {
  /** Numbers of the narrow layer that everything passes. */
  bottleneck?: number;
  shield?: ShieldNote;
  /** Levels of the local model's answer, which was sent in the place of an embedding. */
  answers?: number;
}

/** The note as it stands there, or undefined; anything but a note is refused. */
export function readPrivacyNote(table: Pick<Table, 'schema'>, name: string): string | undefined {
  const text = table.schema.metadata.get(PRIVACY_KEY);
  if (text === undefined || parsePrivacyNote(text)) return text;
  const rule = `${PRIVACY_KEY} must be JSON with noise (mechanism, clip, noise, epsilon, delta), bottleneck, shield or answers`;
  throw new F3Error('F3_BUNDLE_FORMAT', `${name}: ${rule}, got ${JSON.stringify(text.slice(0, 80))}`);
}

/** Undefined for anything that is no note. */
export function parsePrivacyNote(text: string): PrivacyNote | undefined {
  if (text.length > LONGEST) return undefined;
  try {
    const note = JSON.parse(text) as PrivacyNote | null;
    return note && isNote(note) ? note : undefined;
  } catch {
    return undefined;
  }
}

function isNote(note: PrivacyNote): boolean {
  const { bottleneck, shield, answers } = note;
  const noise = noiseOf(note);
  const isNarrow = [bottleneck, answers].every(
    (count) => count === undefined || (Number.isInteger(count) && isAbove0(count, WIDEST)),
  );
  const isShield = shield === undefined || (isKind(shield?.kind) && isAbove0(shield.weight));
  const says = [noise, bottleneck, shield, answers].some((one) => one !== undefined);
  return says && noise !== 'broken' && isNarrow && isShield;
}

/** The noise that a note states; undefined where it states none, and `broken` where something of it is missing. */
export function noiseOf({ mechanism, clip, noise, epsilon, delta }: PrivacyNote): NoiseNote | 'broken' | undefined {
  if ([mechanism, clip, noise, epsilon, delta].every((value) => value === undefined)) return undefined;
  const areNumbers = [clip, noise, epsilon, delta].every((value) => isAbove0(value));
  if (!isKind(mechanism) || !areNumbers) return 'broken';
  return { mechanism, clip, noise, epsilon, delta } as NoiseNote;
}

const isAbove0 = (value: unknown, most = Number.MAX_VALUE): boolean =>
  typeof value === 'number' && value > 0 && value <= most;

const isKind = (text: unknown): text is string =>
  typeof text === 'string' && text.length > 0 && text.length <= LONGEST_KIND && isPlainText(text);
