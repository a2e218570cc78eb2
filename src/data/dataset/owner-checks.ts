// [owner] Checks one owner's windows, and the labels, before they are written.
import { F3Error } from '../../errors.ts';
import { isOwnerId, OWNER_ID_RULE } from '../../exchange/bundle/owner-id.ts';
import type { Coordinates } from '../../exchange/coordinates.ts';
import { findUnknownLabel } from '../../exchange/labels/labels.ts';

/** One owner's windows on their way into a data set. */
export interface NewOwner {
  id: string;
  /** Time steps in a window. */
  length: number;
  /** Names of the variates. */
  variates: readonly string[];
  /** Sampling rate with its unit, e.g. `30 Hz` or `12/h`. */
  rate: string;
  /** Where the owner is, if that is known. */
  place?: Coordinates | undefined;
  samples: readonly string[];
  /** [sample, time, variate] */
  windows: Float32Array;
}

export function checkOwner(owner: NewOwner, others: readonly string[]): void {
  const { id, length, variates, samples, windows } = owner;
  if (!isOwnerId(id)) {
    throw new F3Error('F3_DATA_OWNER', `owner id: ${OWNER_ID_RULE}, got ${JSON.stringify(id)}`);
  }
  // Some file systems take A and a for the same folder.
  const twin = others.find((other) => other.toLowerCase() === id.toLowerCase());
  if (twin !== undefined) throw new F3Error('F3_DATA_DUPLICATE', `owner ${id}: must occur once, got ${twin} before`);
  checkUnique(`owner ${id}: variate`, variates);
  checkUnique(`owner ${id}: sample`, samples);
  const width = length * variates.length;
  if (windows.length !== samples.length * width) {
    const rule = `windows must hold ${samples.length} × ${length} × ${variates.length} numbers`;
    throw new F3Error('F3_DATA_FORMAT', `owner ${id}: ${rule}, got ${windows.length}`);
  }
  const bad = windows.findIndex((value) => !Number.isFinite(value));
  if (bad < 0) return;
  const step = Math.floor((bad % width) / variates.length);
  const place = `sample ${samples[Math.floor(bad / width)]}, step ${step}, ${variates[bad % variates.length]}`;
  throw new F3Error('F3_DATA_NOT_FINITE', `owner ${id}: readings must be finite, got ${windows[bad]} (${place})`);
}

export function checkLabels(samples: readonly string[], labels: Int32Array, classes: readonly string[]): void {
  if (labels.length !== samples.length) {
    throw new F3Error(
      'F3_DATA_LABEL',
      `labels: there must be one per sample, got ${labels.length} for ${samples.length} samples`,
    );
  }
  const bad = findUnknownLabel(labels, classes);
  if (bad < 0) return;
  const rule = `must be from 0 to ${classes.length - 1} (${classes.join(', ')})`;
  throw new F3Error('F3_DATA_LABEL', `label of sample ${samples[bad]}: ${rule}, got ${labels[bad]}`);
}

/** Throws `F3_DATA_DUPLICATE` when a name occurs twice. */
export function checkUnique(thing: string, names: readonly string[]): void {
  const seen = new Set(names);
  if (seen.size === names.length) return;
  const twice = names.find((name) => !seen.delete(name));
  throw new F3Error('F3_DATA_DUPLICATE', `${thing} ${twice}: must occur once, got it twice`);
}
