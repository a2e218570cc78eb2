// [wire] What an owner did to its embeddings before it sent them, as its bundle states it. The owner signs the bundle, so it signs this.
import type { Table } from 'apache-arrow';
import { F3Error } from '../../errors.ts';

/** The schema's metadata hold the note under this name. */
export const PRIVACY_KEY = 'f3.privacy';

const LONGEST = 2000;

/** Noise that an owner states. */
export interface PrivacyNote {
  mechanism: string;
  clip: number;
  noise: number;
  /** ε that one release of a sample keeps at `delta`. */
  epsilon: number;
  delta: number;
}

/** The note as it stands there, or undefined; anything but a note is refused. */
export function readPrivacyNote(table: Pick<Table, 'schema'>, name: string): string | undefined {
  const text = table.schema.metadata.get(PRIVACY_KEY);
  if (text === undefined || parsePrivacyNote(text)) return text;
  const rule = `${PRIVACY_KEY} must be JSON with mechanism, clip, noise, epsilon and delta`;
  throw new F3Error('F3_BUNDLE_FORMAT', `${name}: ${rule}, got ${JSON.stringify(text.slice(0, 80))}`);
}

/** Undefined for anything that is no note. */
export function parsePrivacyNote(text: string): PrivacyNote | undefined {
  if (text.length > LONGEST) return undefined;
  try {
    const note = JSON.parse(text) as Partial<PrivacyNote> | null;
    const { mechanism, clip, noise, epsilon, delta } = note ?? {};
    const numbers = [clip, noise, epsilon, delta].every((value) => typeof value === 'number' && value > 0);
    return typeof mechanism === 'string' && numbers ? (note as PrivacyNote) : undefined;
  } catch {
    return undefined;
  }
}
